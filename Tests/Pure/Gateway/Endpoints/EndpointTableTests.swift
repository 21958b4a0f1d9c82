import ServiceMessages
import Testing

@testable import Gateway

/// The endpoints agree with the table of operations.
@Suite struct EndpointTableTests {
    private static let answered = Endpoint.allCases.compactMap { endpoint -> ServiceMessages.Operation? in
        guard case .service(let operation) = endpoint.answerer else { return nil }
        return operation
    }

    @Test(arguments: ServiceMessages.Operation.allCases)
    func anOperationHasOneEndpointIfItsRowSaysSo(operation: ServiceMessages.Operation) {
        #expect(
            Self.answered.count { $0 == operation } == (operation.hasEndpoint ? 1 : 0),
            "Add a case to Endpoint, or say `hasEndpoint: false` in the operation's row.")
    }

    @Test(arguments: Endpoint.allCases) func anEndpointOfAServiceIsNamedLikeItsOperation(endpoint: Endpoint) {
        guard case .service(let operation) = endpoint.answerer else { return }
        #expect(endpoint.rawValue == operation.rawValue.replacing(".", with: "/"))
    }
}
