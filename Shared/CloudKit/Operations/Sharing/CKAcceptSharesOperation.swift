internal import CloudKitModel
internal import CloudKitWire
internal import Foundation

/// An operation that accepts shares.
open class CKAcceptSharesOperation: CKOperation, @unchecked Sendable {
    /// What the links of the shares lead to.
    open var shareMetadatas: [CKShare.Metadata]?

    /// Called with each share.
    open var perShareResultBlock:
        ((_ metadata: CKShare.Metadata, _ metadataResult: Result<CKShare, any Error>) -> Void)?
    /// Called at the end. Errors of single shares are not errors of the operation.
    open var acceptSharesResultBlock: ((_ operationResult: Result<Void, any Error>) -> Void)?
    /// Called with each share.
    @available(macOS, introduced: 10.12, deprecated: 12.0, message: "Use perShareResultBlock instead")
    open var perShareCompletionBlock: ((CKShare.Metadata, CKShare?, (any Error)?) -> Void)?
    /// Called at the end.
    @available(macOS, introduced: 10.12, deprecated: 12.0, message: "Use acceptSharesResultBlock instead")
    open var acceptSharesCompletionBlock: (((any Error)?) -> Void)?

    private let errors = Locked(PartialErrors())

    /// Creates an operation without shares.
    public override init() { super.init() }

    /// Creates an operation.
    public convenience init(shareMetadatas metadatas: [CKShare.Metadata]) {
        self.init()
        shareMetadatas = metadatas
    }

    override func perform() async throws(CKError) {
        let metadatas = shareMetadatas ?? []
        // A share belongs to a container, which need not be that of the operation.
        for identifier in metadatas.map(\.containerIdentifier).unique {
            let container = CKContainer(identifier: identifier)
            let database = try webDatabase(.shared, of: container)
            let ofContainer = metadatas.filter { $0.containerIdentifier == identifier }
            for part in ofContainer.chunks(of: WebDatabase.maxLinks) {
                try checkCancellation()
                let items = try await database.accept(part.map { ShareLink.shortGUID(of: $0) })
                for (metadata, item) in zip(part, items) {
                    report(metadata, Result { () throws(CKError) in try ShareLink.share(from: item, in: database) })
                }
                await callbacks.drain()
            }
        }
    }

    private func report(_ metadata: CKShare.Metadata, _ result: ItemResult<CKShare>) {
        if let error = result.error { errors.withLock { $0.add(error, of: metadata) } }
        callbacks.post { [self] in
            perShareResultBlock?(metadata, result.erased)
            perShareCompletionBlock?(metadata, try? result.get(), result.error)
        }
    }

    override func finish(_ error: CKError?) {
        super.finish(error)
        acceptSharesCompletionBlock?(error ?? errors.copy.failure("Failed to accept some shares"))
        acceptSharesResultBlock?(Result(failure: error))
        perShareResultBlock = nil
        acceptSharesResultBlock = nil
        perShareCompletionBlock = nil
        acceptSharesCompletionBlock = nil
    }
}
