extension CKDatabase {
    /// Runs an operation in the database.
    public func add(_ operation: CKDatabaseOperation) {
        if operation.database == nil { operation.database = self }
        OperationRun.queue.addOperation(operation)
    }

    /// Calls a function with a database whose functions use a configuration and a group.
    @discardableResult
    public func configuredWith<R>(
        configuration: CKOperation.Configuration? = nil, group: CKOperationGroup? = nil,
        body: (_ configuredDatabase: CKDatabase) throws -> R
    ) rethrows -> R {
        try body(configured(configuration, group))
    }

    /// Calls a function with a database whose functions use a configuration and a group.
    @discardableResult
    @preconcurrency
    public func configuredWith<R>(
        configuration: CKOperation.Configuration? = nil, group: CKOperationGroup? = nil,
        body: @Sendable (_ configuredDatabase: CKDatabase) async throws -> R
    ) async rethrows -> R {
        try await body(configured(configuration, group))
    }

    private func configured(_ configuration: CKOperation.Configuration?, _ group: CKOperationGroup?) -> CKDatabase {
        CKDatabase(
            databaseScope, in: container,
            OperationDefaults(
                configuration: configuration ?? defaults.configuration, group: group ?? defaults.group))
    }

    /// Runs an operation and waits for its result.
    func run<Operation: CKDatabaseOperation, Value: Sendable>(
        _ operation: Operation,
        _ whenDone: (Operation, @escaping @Sendable (Result<Value, any Error>) -> Void) -> Void
    ) async throws -> Value {
        try await OperationRun.run(operation, defaults, add: { add($0) }, whenDone)
    }

    /// Calls `work`, and passes its result to a completion handler on a queue of the system.
    func answer<Value: Sendable>(
        _ work: @escaping @Sendable (CKDatabase) async throws -> Value,
        to completionHandler: @escaping @Sendable (Result<Value, any Error>) -> Void
    ) {
        Task { [self] in
            do {
                completionHandler(.success(try await work(self)))
            } catch {
                completionHandler(.failure(error))
            }
        }
    }

    /// Calls `work`, and passes its result or its error to a completion handler on a queue of the system.
    func answer<Value: Sendable>(
        _ work: @escaping @Sendable (CKDatabase) async throws -> Value,
        to completionHandler: @escaping @Sendable (Value?, (any Error)?) -> Void
    ) {
        answer(work) { (result: Result<Value, any Error>) in
            switch result {
            case .success(let value): completionHandler(value, nil)
            case .failure(let error): completionHandler(nil, error)
            }
        }
    }
}
