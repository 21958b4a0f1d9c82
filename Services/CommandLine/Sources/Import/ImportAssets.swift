import CloudKitModel
import CloudKitWire
import CommandLineSession
import ServiceMessages

/// Gets receipts for the assets of an import, which a file names by their checksums only: from the store if that has the
/// bytes, as an operator may ask it, else by uploading them.
struct ImportAssets: Sendable {
    /// What came of asking for several contents.
    struct Found: Sendable {
        /// The dictionaries that go into records.
        var assets: [AssetChecksum: JSONValue] = [:]
        /// Why there is none.
        var failures: [AssetChecksum: RequestFailure] = [:]
        /// The bytes of each content that was uploaded.
        var uploads: [Int64] = []
    }

    let requester: any Requester
    /// The database that the records go into.
    let scope: RequestScope
    /// Where bytes are that the store may lack.
    let folder: AssetFolder?
    let transfer: AssetTransfer

    /// A receipt for each content, or why it has none.
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
            .assetsReceipt,
            .object(having: [
                ("container", .string(scope.container)), ("environment", .string(scope.environment.rawValue)),
                ("database", .string(scope.database.wireName)), ("owner", scope.user.map { .string($0) }),
                ("fileChecksums", .array(checksums.map { .string($0.fileChecksum) })),
            ]), limit: .requestLimit)
        return (answer["assets"]?.array ?? []).compactMap { $0["receipt"] == nil ? nil : AssetValue($0) }
    }

    private func upload(_ checksum: AssetChecksum) async throws(RequestFailure) -> AssetValue {
        guard let folder, let source = try await folder.source(of: checksum) else {
            throw .local(
                .noAsset,
                reason: "the asset \(checksum) is neither in the store nor in "
                    + (folder.map { "'\($0.path)'" } ?? "a folder: give --assets"))
        }
        let address = try await requester.uploadAddresses(
            1, type: nil, recordName: nil, field: "file", limit: .requestLimit)[0]
        return try await requester.upload(source, to: address, over: transfer, limit: AssetTransfer.commandLimit)
    }
}
