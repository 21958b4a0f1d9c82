internal import AMQPClient
internal import BlobStorage
internal import CloudKitModel
internal import CloudKitWire
internal import Logging
internal import RequestServing
internal import ServiceMessages

/// The operations of the asset service.
struct AssetOperations: Sendable {
    private let router: OperationRouter
    private let retry: DatabaseRetry
    private let logger: Logger

    init(
        scopes: AssetScopes, upload: AssetsUploadOperation, rereference: AssetsRereferenceOperation,
        put: AssetsPutOperation,
        receipt: AssetsReceiptOperation, admin: AssetsAdminOperation, quotas: Quotas, usage: AssetsUsageOperation,
        condition: AssetsConditionOperation, retry: DatabaseRetry, logger: Logger
    ) {
        router = OperationRouter(
            .asset,
            [
                .assetsUpload: { request in
                    let zoneID = try JSONValue(parsing: request.delivery.body)["zoneID"]
                    let scope = try await scopes.scope(of: request, in: zoneID)
                    try await quotas.admit(request, to: scope)
                    return try await upload.answer(request, to: scope)
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
        self.retry = retry
        self.logger = logger
    }

    /// Executes a request and returns its answer, or nil if the service is stopping. While the database is unavailable,
    /// the request is retried until the deadline.
    func answer(_ request: OpenedRequest) async -> Answer? {
        await router.answer(request, retry: retry, failingWith: BlobStoreError.self) { error in
            guard let error = error as? BlobStoreError else { return nil }
            logger.error("the blob store is failing", metadata: ["error": "\(error)"])
            return .of(error)
        }
    }
}
