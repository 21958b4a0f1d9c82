/// Runs operations for the functions of containers and databases.
enum OperationRun {
    /// The queue of all operations that are added to a container or a database.
    static let queue: OperationQueue = {
        let queue = OperationQueue()
        queue.name = "CloudKit"
        return queue
    }()

    /// Adds an operation to the queue, and waits for its result. If the task is cancelled, so is the operation.
    ///
    /// - Parameters:
    ///   - add: adds the operation to a container or a database.
    ///   - whenDone: stores a function that the operation calls with its result.
    static func run<Operation: CKOperation, Value: Sendable>(
        _ operation: Operation, _ defaults: OperationDefaults, add: (Operation) -> Void,
        _ whenDone: (Operation, @escaping @Sendable (Result<Value, any Error>) -> Void) -> Void
    ) async throws -> Value {
        if let configuration = defaults.configuration {
            operation.configuration = configuration
        } else {
            operation.qualityOfService = .userInitiated
        }
        if let group = defaults.group { operation.group = group }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                whenDone(operation) { continuation.resume(with: $0) }
                add(operation)
            }
        } onCancel: {
            operation.cancel()
        }
    }

    /// The error of an operation on one item: the item's error if there is one.
    static func error(of item: AnyHashable, _ error: any Error) -> any Error {
        guard let failure = error as? CKError, failure.code == .partialFailure else { return error }
        return failure.partialErrorsByItemID?[item] ?? error
    }
}
