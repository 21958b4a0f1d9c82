package import CloudKitModel
package import ServiceMessages

/// A mapping from each operation of a service to its handler.
package struct OperationRouter: Sendable {
    /// A function that answers a request, or throws the ``ServerError`` that becomes the answer.
    package typealias Handler = @Sendable (OpenedRequest) async throws -> Answer

    private let handlers: [ServiceMessages.Operation: Handler]

    /// Creates a router.
    ///
    /// - Parameters:
    ///   - service: the service whose operations are handled.
    ///   - others: operations of the service that are handled elsewhere.
    ///   - handlers: one handler for each remaining operation. If a handler is missing or superfluous, the process
    ///     stops at startup.
    package init(
        _ service: ServiceName, except others: Set<ServiceMessages.Operation> = [],
        _ handlers: [ServiceMessages.Operation: Handler]
    ) {
        let operations = Set(ServiceMessages.Operation.allCases.filter { $0.service == service }).subtracting(others)
        let differing = operations.symmetricDifference(handlers.keys).map(\.rawValue).sorted()
        precondition(differing.isEmpty, "operations and handlers do not match: \(differing)")
        self.handlers = handlers
    }

    /// Answers a request with the handler of its operation.
    ///
    /// - Throws: the error that the handler throws, or `operation_unknown` for an operation without a handler.
    package func answer(_ request: OpenedRequest) async throws -> Answer {
        guard let handler = handlers[request.operation] else {
            throw ServerError.operationUnknown(request.operation.rawValue)
        }
        return try await handler(request)
    }

    /// Answers a request, and retries during a database outage until the request's deadline.
    ///
    /// - Parameter errorOf: returns the error to send as the answer if the handler throws `failure`; nil means that the
    ///   service is shutting down.
    /// - Returns: the answer; nil if the service is shutting down.
    package func answer(
        _ request: OpenedRequest, retry: DatabaseRetry, failingWith failure: (any Error.Type)? = nil,
        errorOf: (any Error) -> ServerError? = { _ in nil }
    ) async -> Answer? {
        do {
            return try await retry.run(deadline: request.context.deadline, failingWith: failure) {
                try await answer(request)
            }
        } catch {
            return (error as? ServerError ?? errorOf(error)).map { Answer(error: $0, context: request.context) }
        }
    }
}
