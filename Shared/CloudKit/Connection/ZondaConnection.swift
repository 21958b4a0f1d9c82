/// The gateway that a process talks to, and its credentials. Apple's framework has no such type: there, the system
/// knows the server and the account.
///
/// Usually, nothing in the source names them, and they come from the environment or from a file; see
/// <doc:Connection>. Source that sets `CKContainer.connection` takes precedence over both.
public struct ZondaConnection: Hashable, Sendable {
    /// The environment of a container.
    public enum Environment: String, Hashable, Sendable, CaseIterable {
        /// Saves extend the schema.
        case development
        /// Only deployed types and fields exist.
        case production
    }

    /// The proof of who sends the requests.
    public enum Credentials: Hashable, Sendable {
        /// An API token of the container, and a web auth token of the signed-in user. Without the latter, only the
        /// public database can be used.
        case apiToken(String, webAuthToken: String? = nil)
        /// A server-to-server key, with which only the public database can be used: its ID and the private key as PEM
        /// text.
        case serverToServerKey(id: String, privateKey: String)
    }

    /// The address of the gateway, without a path, such as `https://zonda.example.org`.
    public var url: URL
    /// The identifier of the container that `CKContainer.default()` returns.
    public var container: String?
    /// The environment of the container.
    public var environment: Environment
    /// The proof of who sends the requests.
    public var credentials: Credentials
    /// A PEM file with the certificates that are trusted in place of the system's; nil to trust the system's.
    public var certificateFile: URL?

    /// Creates a description of a gateway.
    public init(
        url: URL, container: String? = nil, environment: Environment = .development, credentials: Credentials,
        certificateFile: URL? = nil
    ) {
        self.url = url
        self.container = container
        self.environment = environment
        self.credentials = credentials
        self.certificateFile = certificateFile
    }
}
