internal import AMQPClient
internal import CloudKitModel
internal import NIOCore
internal import RequestServing
internal import ServiceMessages

/// `assets.put`: the body is the asset. What HTTP uploads are for browsers and large files, this is for producers that
/// have nothing but a broker.
struct AssetsPutOperation: Sendable {
    /// The largest body; larger assets are uploaded over HTTP.
    static let maxBytes = AssetLimits.maxMessageBytes
    /// How long a put without a deadline is held while the database is away.
    private static let patience = Duration.seconds(1800)

    let uploader: AssetUploader

    func answer(_ request: OpenedRequest) async throws -> Answer {
        let rest = request.context.deadline.map { Duration.milliseconds($0 - SystemClock.milliseconds()) }
        let asset = try await uploader.upload(
            to: AssetScope(request.context), field: nil, patience: min(rest ?? Self.patience, Self.patience)
        ) { try await $0.append(ByteBuffer(bytes: request.delivery.body)) }
        return Answer { asset.write(to: &$0) }
    }
}
