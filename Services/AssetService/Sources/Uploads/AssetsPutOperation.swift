internal import AMQPClient
internal import CloudKitModel
internal import CloudKitWire
internal import NIOCore
internal import RequestServing
internal import ServiceMessages

/// `assets.put`: the body of the message is the asset. In the shared database, headers name the zone. This operation is
/// for producers that can reach only the broker.
struct AssetsPutOperation: Sendable {
    /// The maximum size of a body, in bytes. Larger assets are uploaded over HTTP.
    static let maxBytes = AssetLimits.maxMessageBytes
    /// How long a request without a deadline waits while the database is unavailable.
    private static let patience = Duration.seconds(1800)

    let uploader: AssetUploader
    let scopes: AssetScopes

    func answer(_ request: OpenedRequest) async throws -> Answer {
        let rest = request.context.deadline.map { Duration.milliseconds($0 - SystemClock.milliseconds()) }
        let patience = min(rest ?? Self.patience, Self.patience)
        let scope = try await scopes.scope(of: request, in: try Self.zoneID(of: request))
        let usage = try await uploader.quotaUsage(of: scope, patience: patience)
        let asset = try await uploader.upload(
            MessageBody(bytes: request.delivery.body), to: scope, within: usage, field: nil, patience: patience)
        return Answer { asset.write(to: &$0) }
    }

    /// Returns the zone that the headers name. Because the body is the asset, it cannot name the zone.
    private static func zoneID(of request: OpenedRequest) throws(ServerError) -> JSONValue? {
        guard request.context.scope == .shared else { return nil }
        var values: [String] = []
        for name in [Header.zone, Header.zoneOwner] {
            guard let value = request.delivery.properties.headers.string(name) else {
                throw ServerError(.headerMissing, "The header '\(name)' is missing", field: name)
            }
            values.append(value)
        }
        return ["zoneName": .string(values[0]), "ownerRecordName": .string(values[1])]
    }

    private struct MessageBody: UploadSource {
        let bytes: [UInt8]

        func read(into incoming: inout IncomingAsset) async throws {
            try await incoming.append(ByteBuffer(bytes: bytes))
        }
    }
}
