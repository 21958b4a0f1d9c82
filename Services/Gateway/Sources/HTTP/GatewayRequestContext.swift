internal import Hummingbird
internal import NIOCore

/// The connection of a request.
struct GatewayRequestContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The address of the peer: a client or a proxy.
    let peer: String
    /// The channel of the connection.
    let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
        peer = source.channel.remoteAddress?.ipAddress ?? ""
    }
}
