internal import CloudKitModel
internal import CloudKitWire
public import Foundation

/// An operation that requests access to shares.
open class CKShareRequestAccessOperation: CKOperation, @unchecked Sendable {
    /// The links of the shares.
    open var shareURLs: [URL]?

    /// Called with the result of each request.
    open var perShareAccessRequestResultBlock: ((URL, Result<Void, any Error>) -> Void)?
    /// Called at the end. Errors of single requests are not errors of the operation.
    open var shareAccessRequestResultBlock: ((Result<Void, any Error>) -> Void)?

    /// Creates an operation without links.
    public override init() { super.init() }

    /// Creates an operation.
    public convenience init(shareURLs: [URL]) {
        self.init()
        self.shareURLs = shareURLs
    }

    override func perform() async throws(CKError) {
        let database = try webDatabase(.public, of: operationContainer)
        var links: [(url: URL, guid: String)] = []
        for url in (shareURLs ?? []).unique {
            do throws(CKError) {
                links.append((url, try ShareLink.shortGUID(of: url)))
            } catch {
                report(url, error)
            }
        }
        for part in links.chunks(of: WebDatabase.maxLinks) {
            try checkCancellation()
            let items = try await database.requestAccess(part.map(\.guid))
            for (link, item) in zip(part, items) { report(link.url, item.fault?.error()) }
            await callbacks.drain()
        }
    }

    private func report(_ url: URL, _ error: CKError?) {
        callbacks.post { self.perShareAccessRequestResultBlock?(url, Result(failure: error)) }
    }

    override func finish(_ error: CKError?) {
        super.finish(error)
        shareAccessRequestResultBlock?(Result(failure: error))
        perShareAccessRequestResultBlock = nil
        shareAccessRequestResultBlock = nil
    }
}
