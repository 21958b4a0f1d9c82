extension CKContainer {
    /// Runs an operation in the container.
    public func add(_ operation: CKOperation) {
        if operation.configuration.container == nil { operation.configuration.container = self }
        OperationRun.queue.addOperation(operation)
    }

    /// Calls a function with a container whose functions use a configuration and a group.
    @discardableResult
    public func configuredWith<R>(
        configuration: CKOperation.Configuration? = nil, group: CKOperationGroup? = nil,
        body: (_ configuredContainer: CKContainer) throws -> R
    ) rethrows -> R {
        try body(configured(configuration, group))
    }

    /// Calls a function with a container whose functions use a configuration and a group.
    @discardableResult
    @preconcurrency
    public func configuredWith<R>(
        configuration: CKOperation.Configuration? = nil, group: CKOperationGroup? = nil,
        body: @Sendable (_ configuredContainer: CKContainer) async throws -> R
    ) async rethrows -> R {
        try await body(configured(configuration, group))
    }

    private func configured(_ configuration: CKOperation.Configuration?, _ group: CKOperationGroup?) -> CKContainer {
        configured(
            OperationDefaults(configuration: configuration ?? defaults.configuration, group: group ?? defaults.group))
    }

    /// Runs an operation and waits for its result.
    func run<Operation: CKOperation, Value: Sendable>(
        _ operation: Operation,
        _ whenDone: (Operation, @escaping @Sendable (Result<Value, any Error>) -> Void) -> Void
    ) async throws -> Value {
        try await OperationRun.run(operation, defaults, add: { add($0) }, whenDone)
    }

    /// Calls `work`, and passes its result to a completion handler on a queue of the system.
    func answer<Value: Sendable>(
        _ work: @escaping @Sendable (CKContainer) async throws -> Value,
        to completionHandler: @escaping @Sendable (Result<Value, any Error>) -> Void
    ) {
        answer(work) { (value: Value?, error: (any Error)?) in
            if let value { completionHandler(.success(value)) } else if let error { completionHandler(.failure(error)) }
        }
    }
}
