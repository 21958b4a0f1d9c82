internal import Hummingbird
internal import NIOCore

/// A request's connection, beside what Hummingbird wants to know.
struct GatewayRequestContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// Who is connected: a client, or a proxy.
    let peer: String
    /// For who waits on it: see ``ClientLine``.
    let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
        peer = source.channel.remoteAddress?.ipAddress ?? ""
    }
}
