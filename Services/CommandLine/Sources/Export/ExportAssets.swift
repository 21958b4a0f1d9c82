import CommandLineSession
import ServiceMessages

/// Downloads the content of assets into a folder. Identical content is downloaded only once.
struct ExportAssets: Sendable {
    /// The maximum number of simultaneous downloads.
    private static let inFlight = 4

    let requester: any Requester
    let transfer: AssetTransfer
    let folder: AssetFolder

    /// Downloads the content of `assets`, unless the folder already contains it.
    ///
    /// - Returns: for each download, the size of the content in bytes, or the failure.
    func fetch(_ assets: [AssetValue]) async -> [Result<Int64, RequestFailure>] {
        let contents = Dictionary(assets.map { ($0.checksum, $0) }, uniquingKeysWith: { first, _ in first })
        var missing = contents.values.filter { !folder.contains($0) }[...]
        return await withTaskGroup(of: Result<Int64, RequestFailure>.self) { group in
            var results: [Result<Int64, RequestFailure>] = []
            for asset in missing.prefix(Self.inFlight) { group.addTask { await fetch(asset) } }
            missing = missing.dropFirst(Self.inFlight)
            for await result in group {
                results.append(result)
                if let next = missing.popFirst() { group.addTask { await fetch(next) } }
            }
            return results
        }
    }

    private func fetch(_ asset: AssetValue) async -> Result<Int64, RequestFailure> {
        do throws(RequestFailure) {
            let file = try DownloadFile(path: folder.file(of: asset.checksum))
            do throws(RequestFailure) {
                try await requester.download(asset, over: transfer, limit: AssetTransfer.commandLimit) {
                    piece, _ throws(RequestFailure) in
                    try await file.append(piece)
                }
                try await file.finish()
            } catch {
                file.discard()
                throw error
            }
            return .success(asset.size)
        } catch {
            return .failure(error.naming(asset.checksum.hex))
        }
    }
}

extension RequestFailure {
    /// Returns the failure with `subject` as its subject. A refusal that already has a subject keeps it.
    func naming(_ subject: String) -> RequestFailure {
        switch self {
        case .refused(var refusal):
            refusal.subject = refusal.subject ?? subject
            return .refused(refusal)
        case .unanswered(let reason): return .unanswered(reason: "\(subject): \(reason)")
        case .local(let fault, let reason): return .local(fault, reason: "\(subject): \(reason)")
        }
    }
}
