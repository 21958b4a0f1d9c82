internal import AMQPClient
internal import AssetStorage
internal import CloudKitModel
internal import CloudKitWire
internal import OperatorMessages
internal import RequestServing
internal import ServiceMessages

/// `assets.receipt`, for operators: returns receipts for content in a container, given only the content's checksums. An
/// operator who imports records from a file has no other proof. Users cannot get receipts this way, because a checksum
/// is not a secret.
struct AssetsReceiptOperation: Sendable {
    let receipts: AssetReceipts

    /// Returns, for each checksum, the asset dictionary that an upload would return, or the error `asset_not_found`.
    ///
    /// - Throws: `BAD_REQUEST`, `PostgresError`.
    func answer(_ request: OpenedRequest) async throws -> Answer {
        let body = try AssetReceiptRequest(request)
        let scope = try Self.scope(of: body)
        let checksums = try Self.checksums(body.fileChecksums)
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

    private static func scope(of body: AssetReceiptRequest) throws(ServerError) -> AssetScope {
        guard let environment = body.environment.flatMap(EnvironmentName.init(rawValue:)) else {
            throw .wrongKind("environment", expected: "'development' or 'production'")
        }
        guard let database = body.database.flatMap(DatabaseScope.init(wireName:)), database != .shared else {
            throw .wrongKind("database", expected: "'public' or 'private'")
        }
        guard let owner = database == .public ? ZoneAddress.publicOwner : body.owner else {
            throw .missingKey("owner")
        }
        return AssetScope(container: body.container, environment: environment, scope: database, owner: owner)
    }

    private static func checksums(_ texts: [String]) throws(ServerError) -> [AssetChecksum] {
        guard texts.count <= AssetLimits.maxReceipts else {
            throw .tooMany("fileChecksums", limit: AssetLimits.maxReceipts, actual: texts.count)
        }
        let checksums = texts.compactMap { AssetChecksum($0) }
        guard checksums.count == texts.count else { throw .checksumInvalid(field: "fileChecksums") }
        return checksums
    }
}
