internal import AMQPClient
internal import AssetStorage
internal import CloudKitModel
internal import CloudKitWire
internal import RequestServing
internal import ServiceMessages

/// `assets.receipt`, for operators: receipts for contents of a container, identified by their checksums alone. An operator
/// who imports records from a file has no other proof. Users cannot get receipts this way, since a checksum is not a secret.
struct AssetsReceiptOperation: Sendable {
    let receipts: AssetReceipts

    /// `{container, environment, database, owner?, fileChecksums}` → `{assets}`: for each checksum the answer of an upload,
    /// or the error `asset_not_found`.
    func answer(_ request: OpenedRequest) async throws -> Answer {
        let body = try JSONValue(parsing: request.delivery.body)
        let scope = try Self.scope(in: body)
        let checksums = try Self.checksums(in: body)
        let found = try await receipts.receipts(for: Set(checksums), in: scope)
        return Answer { writer in
            writer.key("assets")
            writer.array(checksums) { writer, checksum in
                if let asset = found[checksum] {
                    writer.asset(asset.dictionary)
                } else {
                    writer.object { writer in
                        writer.member("fileChecksum", checksum.fileChecksum)
                        writer.errorMembers(.assetNotFound(field: "fileChecksums"))
                    }
                }
            }
        }
    }

    private static func scope(in body: JSONValue) throws(ServerError) -> AssetScope {
        guard let container = body["container"]?.string else { throw .missingKey("container") }
        guard let environment = body["environment"]?.string.flatMap(EnvironmentName.init(rawValue:)) else {
            throw .wrongKind("environment", expected: "'development' or 'production'")
        }
        guard let database = body["database"]?.string.flatMap(DatabaseScope.init(wireName:)), database != .shared else {
            throw .wrongKind("database", expected: "'public' or 'private'")
        }
        let owner = database == .public ? ZoneAddress.publicOwner : body["owner"]?.string
        guard let owner else { throw .missingKey("owner") }
        return AssetScope(container: container, environment: environment, scope: database, owner: owner)
    }

    private static func checksums(in body: JSONValue) throws(ServerError) -> [AssetChecksum] {
        guard let elements = body["fileChecksums"]?.array else { throw .missingKey("fileChecksums") }
        guard elements.count <= AssetLimits.maxReceipts else {
            throw .tooMany("fileChecksums", limit: AssetLimits.maxReceipts, actual: elements.count)
        }
        let checksums = elements.compactMap { $0.string.flatMap { AssetChecksum($0) } }
        guard checksums.count == elements.count else { throw .checksumInvalid(field: "fileChecksums") }
        return checksums
    }
}
