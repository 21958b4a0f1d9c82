internal import Hummingbird
internal import NIOCore

/// A request's connection, beside what Hummingbird wants to know.
struct AssetRequestContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
    }
}
