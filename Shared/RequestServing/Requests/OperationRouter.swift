internal import CloudKitModel
package import ServiceMessages

/// The code that answers each operation of a service.
package struct OperationRouter: Sendable {
    /// Answers a request, or throws the ``ServerError`` that is answered.
    package typealias Handler = @Sendable (OpenedRequest) async throws -> Answer

    private let handlers: [ServiceMessages.Operation: Handler]

    /// - Parameters:
    ///   - service: whose operations they are.
    ///   - others: operations of the service that are answered elsewhere.
    ///   - handlers: one for each of the rest. A service that lacks one, or has one too many, does not start.
    package init(
        _ service: ServiceName, except others: Set<ServiceMessages.Operation> = [],
        _ handlers: [ServiceMessages.Operation: Handler]
    ) {
        let operations = Set(ServiceMessages.Operation.allCases.filter { $0.service == service }).subtracting(others)
        let differing = operations.symmetricDifference(handlers.keys).map(\.rawValue).sorted()
        precondition(differing.isEmpty, "operations without a handler, or the reverse: \(differing)")
        self.handlers = handlers
    }

    /// Answers a request by its operation.
    ///
    /// - Throws: what the handler throws; `operation_unknown` for an operation of another service.
    package func answer(_ request: OpenedRequest) async throws -> Answer {
        guard let handler = handlers[request.operation] else {
            throw ServerError.operationUnknown(request.operation.rawValue)
        }
        return try await handler(request)
    }

    /// Answers a request, and outlasts a database that is away until the request's deadline.
    ///
    /// - Parameter errorOf: the error that is answered where a handler throws another one than a ``ServerError``; nil: the
    ///   service is ending.
    /// - Returns: nil when the service is ending.
    package func answer(
        _ request: OpenedRequest, outlasting trouble: DatabaseTrouble, failingWith failure: (any Error.Type)? = nil,
        errorOf: (any Error) -> ServerError? = { _ in nil }
    ) async -> Answer? {
        do {
            return try await trouble.outlast(deadline: request.context.deadline, failingWith: failure) {
                try await answer(request)
            }
        } catch {
            return (error as? ServerError ?? errorOf(error)).map { Answer(error: $0, context: request.context) }
        }
    }
}
