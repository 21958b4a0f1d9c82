internal import Hummingbird
internal import NIOCore

/// A request's connection, in addition to the storage that Hummingbird requires.
struct AssetRequestContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
    }
}
