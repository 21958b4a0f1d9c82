internal import AMQPClient
internal import ArgumentParser
internal import Foundation
internal import ServiceMessages

/// The address of the gateway and the credentials for it, from `.zonda/env` and a web auth token of the user.
struct GatewayAddress: Sendable {
    /// The host.
    let host: String
    /// The port.
    let port: Int
    private let path: String
    private let query: String

    /// Reads the address of a plain HTTP gateway.
    ///
    /// - Throws: a `ValidationError` if a variable is missing or is not an address.
    init() throws {
        let url = try LimitEnvironment.required("ZONDA_URL")
        guard let components = URLComponents(string: url), let host = components.host, components.scheme == "http"
        else {
            throw ValidationError("ZONDA_URL must be an http URL")
        }
        (self.host, port) = (host, components.port ?? 80)
        let headers = LoadShape.headers()
        let parts = [Header.container, Header.environment, Header.database].map { headers.string($0) ?? "" }
        path = "/database/1/" + parts.joined(separator: "/")
        let credentials = [
            ("ckAPIToken", try LimitEnvironment.required("ZONDA_API_TOKEN")),
            ("ckWebAuthToken", try LimitEnvironment.required("ZONDA_WEB_AUTH_TOKEN")),
        ]
        query = try credentials.map { name, value in
            guard let encoded = value.addingPercentEncoding(withAllowedCharacters: .alphanumerics) else {
                throw ValidationError("\(name) cannot be encoded")
            }
            return "\(name)=\(encoded)"
        }.joined(separator: "&")
    }

    /// Returns the request target of an operation.
    func target(of operation: ServiceMessages.Operation) -> String {
        "\(path)/\(operation.rawValue.replacing(".", with: "/"))?\(query)"
    }
}
