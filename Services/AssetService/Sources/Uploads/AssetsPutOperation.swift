internal import AMQPClient
internal import CloudKitModel
internal import NIOCore
internal import RequestServing
internal import ServiceMessages

/// `assets.put`: the body of the message is the asset. This operation is for producers that can reach only the broker.
struct AssetsPutOperation: Sendable {
    /// The maximum size of a body, in bytes. Larger assets are uploaded over HTTP.
    static let maxBytes = AssetLimits.maxMessageBytes
    /// How long a request without a deadline waits while the database is unavailable.
    private static let patience = Duration.seconds(1800)

    let uploader: AssetUploader

    func answer(_ request: OpenedRequest) async throws -> Answer {
        let rest = request.context.deadline.map { Duration.milliseconds($0 - SystemClock.milliseconds()) }
        let patience = min(rest ?? Self.patience, Self.patience)
        let scope = AssetScope(request.context)
        let usage = try await uploader.quotaUsage(of: scope, patience: patience)
        let asset = try await uploader.upload(
            MessageBody(bytes: request.delivery.body), to: scope, within: usage, field: nil, patience: patience)
        return Answer { asset.write(to: &$0) }
    }

    private struct MessageBody: UploadSource {
        let bytes: [UInt8]

        func read(into incoming: inout IncomingAsset) async throws {
            try await incoming.append(ByteBuffer(bytes: bytes))
        }
    }
}
