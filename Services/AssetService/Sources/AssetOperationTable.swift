internal import CloudKitModel
internal import Logging
internal import RequestServing
internal import ServiceMessages

/// Answers a request by its operation.
struct AssetOperationTable: Sendable {
    private let router: OperationRouter
    private let trouble: DatabaseTrouble
    private let logger: Logger

    init(
        upload: AssetsUploadOperation, rereference: AssetsRereferenceOperation, put: AssetsPutOperation,
        receipt: AssetsReceiptOperation, admin: AssetsAdminOperation, quotas: Quotas, usage: AssetsUsageOperation,
        condition: AssetsConditionOperation, trouble: DatabaseTrouble, logger: Logger
    ) {
        router = OperationRouter(
            .asset,
            [
                .assetsUpload: { request in
                    try await quotas.admit(request)
                    return try await upload.answer(request)
                },
                .assetsRereference: rereference.answer,
                .assetsPut: put.answer,
                .assetsStat: admin.stat,
                .assetsJobs: admin.jobs,
                .assetsUsage: usage.usage,
                .assetsQuota: usage.quota,
                .assetsQuarantine: condition.quarantine,
                .assetsReconcile: condition.reconcile,
                .assetsReceipt: receipt.answer,
            ])
        self.trouble = trouble
        self.logger = logger
    }

    /// The answer; nil when the service is ending. A database that is away is outlasted until the deadline.
    func answer(_ request: OpenedRequest) async -> Answer? {
        await router.answer(request, outlasting: trouble, failingWith: BlobStoreError.self) { error in
            guard let error = error as? BlobStoreError else { return nil }
            logger.error("the blob store is in trouble", metadata: ["error": "\(error)"])
            return .of(error)
        }
    }
}
