internal import CloudKitModel
internal import CloudKitWire
public import Foundation

/// An operation that reads what the links of shares lead to.
open class CKFetchShareMetadataOperation: CKOperation, @unchecked Sendable {
    /// The links.
    open var shareURLs: [URL]?
    /// Whether the root records are fetched too.
    open var shouldFetchRootRecord = false
    /// The fields of the root records to fetch; nil for all, empty for none.
    open var rootRecordDesiredKeys: [CKRecord.FieldKey]?

    /// Called with each link.
    open var perShareMetadataResultBlock:
        ((_ shareURL: URL, _ shareMetadataResult: Result<CKShare.Metadata, any Error>) -> Void)?
    /// Called at the end. Errors of single links are not errors of the operation.
    open var fetchShareMetadataResultBlock: ((_ operationResult: Result<Void, any Error>) -> Void)?
    /// Called with each link.
    @available(macOS, introduced: 10.12, deprecated: 12.0, message: "Use perShareMetadataResultBlock instead")
    open var perShareMetadataBlock: ((URL, CKShare.Metadata?, (any Error)?) -> Void)?
    /// Called at the end.
    @available(macOS, introduced: 10.12, deprecated: 12.0, message: "Use fetchShareMetadataResultBlock instead")
    open var fetchShareMetadataCompletionBlock: (((any Error)?) -> Void)?

    private let errors = Locked(PartialErrors())

    /// Creates an operation without links.
    public override init() { super.init() }

    /// Creates an operation.
    public convenience init(shareURLs: [URL]) {
        self.init()
        self.shareURLs = shareURLs
    }

    override func perform() async throws(CKError) {
        let database = try webDatabase(.shared, of: operationContainer)
        var links: [(url: URL, guid: String)] = []
        for url in (shareURLs ?? []).unique {
            do throws(CKError) {
                links.append((url, try ShareLink.shortGUID(of: url)))
            } catch {
                report(url, .failure(error))
            }
        }
        let root: WebDatabase.RootRecordKeys =
            shouldFetchRootRecord ? rootRecordDesiredKeys.map { .some($0) } ?? .all : .none
        for part in links.chunks(of: WebDatabase.maxLinks) {
            try checkCancellation()
            for (link, item) in zip(part, try await database.resolve(part.map(\.guid), root)) {
                report(
                    link.url,
                    Result { () throws(CKError) in
                        try ShareMetadataCoding.metadata(from: item, of: link.url, in: database.database(of: item))
                    })
            }
            await callbacks.drain()
        }
    }

    private func report(_ url: URL, _ result: ItemResult<CKShare.Metadata>) {
        if let error = result.error { errors.withLock { $0.add(error, of: url) } }
        callbacks.post { [self] in
            perShareMetadataResultBlock?(url, result.erased)
            perShareMetadataBlock?(url, try? result.get(), result.error)
        }
    }

    override func finish(_ error: CKError?) {
        super.finish(error)
        fetchShareMetadataCompletionBlock?(error ?? errors.copy.failure("Failed to fetch some share metadata"))
        fetchShareMetadataResultBlock?(Result(failure: error))
        perShareMetadataResultBlock = nil
        fetchShareMetadataResultBlock = nil
        perShareMetadataBlock = nil
        fetchShareMetadataCompletionBlock = nil
    }
}
