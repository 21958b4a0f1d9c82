/// A container's environment at a gateway, and the credentials for it.
struct ConnectionPlace: Hashable, Sendable {
    /// What the requests are authenticated with.
    enum Proof: Hashable, Sendable {
        /// An API token, and the session of a user if there is one.
        case apiToken(String)
        /// A server-to-server key: its ID and the PEM text of the private key.
        case key(id: String, pem: String)
    }

    /// The address of the gateway, without a slash at its end.
    var url: String
    /// The container's identifier.
    var container: String
    /// The container's environment.
    var environment: String
    /// What the requests are authenticated with.
    var proof: Proof
    /// The path of a PEM file with the trusted certificates; nil to trust the system's.
    var certificateFile: String?
}
