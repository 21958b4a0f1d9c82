internal import Hummingbird
internal import NIOCore

/// The storage that Hummingbird requires for a request, and the request's connection.
struct AssetRequestContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
    }
}
