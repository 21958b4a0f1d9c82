extension CKContainer {
    /// Fetches the IDs of the long-lived operations of this process that have not ended.
    ///
    /// On Linux, no other process continues an operation after its own process has ended.
    @preconcurrency
    public func fetchAllLongLivedOperationIDs(
        completionHandler: @escaping @Sendable ([CKOperation.ID]?, (any Error)?) -> Void
    ) {
        answer({ try await $0.allLongLivedOperationIDs() }, to: completionHandler)
    }

    /// Fetches the IDs of the long-lived operations of this process that have not ended.
    public func allLongLivedOperationIDs() async throws -> [CKOperation.ID] {
        LongLivedOperations.all.map(\.operationID)
    }

    /// Fetches a long-lived operation of this process that has not ended.
    @preconcurrency
    public func fetchLongLivedOperation(
        withID operationID: CKOperation.ID, completionHandler: @escaping @Sendable (CKOperation?, (any Error)?) -> Void
    ) {
        completionHandler(LongLivedOperations.all.first { $0.operationID == operationID }, nil)
    }

    /// Fetches a long-lived operation of this process that has not ended.
    public func longLivedOperation(for operationID: CKOperation.ID) async throws -> CKOperation? {
        LongLivedOperations.all.first { $0.operationID == operationID }
    }
}

/// The long-lived operations of the process that have been added to a container or a database.
enum LongLivedOperations {
    /// The operations that have not ended.
    static var all: [CKOperation] {
        OperationRun.queue.operations.compactMap { $0 as? CKOperation }
            .filter { $0.configuration.isLongLived && !$0.isFinished && !$0.isCancelled }
    }
}
