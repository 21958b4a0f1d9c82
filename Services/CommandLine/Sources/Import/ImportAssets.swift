import CloudKitModel
import CloudKitWire
import CommandLineSession
import OperatorMessages
import ServiceMessages

/// Gets receipts for an import's assets, which the file identifies only by their checksums. If the store already
/// contains the bytes, a receipt is requested with operator rights; otherwise, the bytes are uploaded.
struct ImportAssets: Sendable {
    /// The result for a set of checksums.
    struct Found: Sendable {
        /// The asset dictionaries for the records.
        var assets: [AssetChecksum: JSONValue] = [:]
        /// The failures, keyed by the checksums for which no receipt was issued.
        var failures: [AssetChecksum: RequestFailure] = [:]
        /// The size of each uploaded file, in bytes.
        var uploads: [Int64] = []
    }

    let requester: any Requester
    /// The database of the records.
    let scope: RequestScope
    /// The folder from which to upload content that the store lacks; nil for none.
    let folder: AssetFolder?
    let transfer: AssetTransfer

    /// Gets a receipt or a failure for each checksum.
    func receipts(for wanted: Set<AssetChecksum>) async -> Found {
        var found = Found()
        var rest = Array(wanted)[...]
        while !rest.isEmpty {
            let page = Array(rest.prefix(AssetLimits.maxReceipts))
            rest = rest.dropFirst(page.count)
            do {
                for asset in try await stored(page) { found.assets[asset.checksum] = asset.json }
            } catch {
                for checksum in page { found.failures[checksum] = error }
                continue
            }
            for checksum in page where found.assets[checksum] == nil {
                do {
                    let asset = try await upload(checksum)
                    found.assets[checksum] = asset.json
                    found.uploads.append(asset.size)
                } catch {
                    found.failures[checksum] = error
                }
            }
        }
        return found
    }

    private func stored(_ checksums: [AssetChecksum]) async throws(RequestFailure) -> [AssetValue] {
        let answer = try await requester.ask(
            AssetReceiptRequest(
                container: scope.container, environment: scope.environment.rawValue,
                database: scope.database.wireName, owner: scope.user, fileChecksums: checksums.map(\.fileChecksum)))
        return answer.assets.compactMap { $0["receipt"] == nil ? nil : AssetValue($0) }
    }

    private func upload(_ checksum: AssetChecksum) async throws(RequestFailure) -> AssetValue {
        guard let folder, let source = try await folder.source(of: checksum) else {
            throw .local(
                .noAsset,
                reason: "the asset \(checksum) is not in the store"
                    + (folder.map { " and not in '\($0.path)'" } ?? "; specify its folder with --assets"))
        }
        let address = try await requester.uploadAddresses(
            1, type: nil, recordName: nil, field: "file", limit: .requestLimit)[0]
        return try await requester.upload(source, to: address, over: transfer, limit: AssetTransfer.commandLimit)
    }
}
