internal import CloudKitModel
internal import Logging
internal import RequestServing
internal import ServiceMessages

/// Which code answers which operation.
struct AssetOperationTable: Sendable {
    let upload: AssetsUploadOperation
    let rereference: AssetsRereferenceOperation
    let put: AssetsPutOperation
    let receipt: AssetsReceiptOperation
    let admin: AssetsAdminOperation
    let quotas: Quotas
    let usage: AssetsUsageOperation
    let condition: AssetsConditionOperation
    let trouble: DatabaseTrouble
    let logger: Logger

    /// Answers a request; nil when the service is ending. Trouble with the database is outlasted until the deadline.
    func answer(_ request: OpenedRequest) async -> Answer? {
        do {
            return try await trouble.outlast(
                deadline: request.context.deadline, failingWith: BlobStoreError.self
            ) { try await perform(request) }
        } catch let error as ServerError {
            return Answer(error: error, context: request.context)
        } catch let error as BlobStoreError {
            logger.error("the blob store is in trouble", metadata: ["error": "\(error)"])
            return Answer(error: .of(error), context: request.context)
        } catch {
            return nil
        }
    }

    private func perform(_ request: OpenedRequest) async throws -> Answer {
        switch request.operation {
        case .assetsUpload:
            try await quotas.admit(request)
            return try await upload.answer(request)
        case .assetsRereference: return try await rereference.answer(request)
        case .assetsPut: return try await put.answer(request)
        case .assetsStat: return try await admin.stat(request)
        case .assetsJobs: return try await admin.jobs(request)
        case .assetsUsage: return try await usage.usage(request)
        case .assetsQuota: return try await usage.quota(request)
        case .assetsQuarantine: return try await condition.quarantine(request)
        case .assetsReconcile: return try await condition.reconcile(request)
        case .assetsReceipt: return try await receipt.answer(request)
        // Other services' queues take the rest.
        default: throw ServerError.operationUnknown(request.operation.rawValue)
        }
    }
}
