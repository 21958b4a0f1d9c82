import CloudKitModel

@testable import Gateway
@testable import GatewayStorage

extension AccountStack {
    /// Returns the refusal of a request; nil if it is admitted.
    ///
    /// - Parameter isFresh: whether the authenticator is a new one, whose cache is empty.
    func refusal(of request: GatewayRequest, at path: EndpointPath, isFresh: Bool = true) async throws -> Refusal? {
        let authenticator = isFresh ? freshAuthenticator : authenticator
        do {
            _ = try await authenticator.authenticate(request, at: path)
            return nil
        } catch let refusal as Refusal {
            return refusal
        }
    }
}

extension EndpointPath {
    /// Returns the path of an endpoint in the container of ``AccountStack/notes``, or in another one.
    static func notes(
        _ endpoint: Endpoint, _ database: DatabaseScope = .public, _ environment: EnvironmentName = .development,
        container: String = AccountStack.notes.container
    ) -> EndpointPath {
        EndpointPath(container: container, environment: environment, database: database, endpoint: endpoint)
    }
}
