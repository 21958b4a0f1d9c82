/// Finds out which gateway a process talks to: from source, the environment, or the client file, in this order.
struct ConnectionSettings: Sendable {
    /// What source set.
    var source: ZondaConnection?
    /// The variables of the environment.
    var environment: [String: String]

    /// Where the session of a user is kept.
    enum SessionPlace: Hashable, Sendable {
        /// In the memory of the process; this is its first token.
        case memory(String)
        /// In the client file.
        case file(String)
    }

    /// The path of the client file: `ZONDA_CLIENT_FILE`, or `zonda/client.json` in the user's configuration folder.
    /// Nil if source set the connection.
    var clientFile: String? {
        guard source == nil else { return nil }
        if let path = value("ZONDA_CLIENT_FILE") { return path }
        if let folder = value("XDG_CONFIG_HOME") { return "\(folder)/zonda/client.json" }
        return value("HOME").map { "\($0)/.config/zonda/client.json" }
    }

    /// The identifier of the default container; nil if nothing names one.
    func defaultContainer(_ file: ClientFile?) -> String? {
        if let source { return source.container ?? value("ZONDA_CONTAINER") }
        return value("ZONDA_CONTAINER") ?? file?.container
    }

    /// Finds out where a container is, and where the session of its user is kept.
    ///
    /// - Parameter file: the content of ``clientFile``.
    /// - Throws: ``CKError/Code/notAuthenticated`` with an explanation of what to set.
    func place(
        of container: String?, _ file: ClientFile?
    ) throws(CKError) -> (place: ConnectionPlace, session: SessionPlace?) {
        guard let container = container ?? defaultContainer(file) else {
            throw Self.missing("no container", remedy: "Set ZONDA_CONTAINER, or use CKContainer(identifier:)")
        }
        if let source { return (try Self.place(source, container), Self.session(source)) }
        guard let url = value("ZONDA_URL") ?? file?.setting("url", of: container) else {
            throw Self.missing("no gateway", remedy: "Set ZONDA_URL to its address")
        }
        // The tokens in the environment belong to the container that it names.
        let named = value("ZONDA_CONTAINER")
        let isNamed = named == nil || named == container
        func credential(_ variable: String, _ key: String) -> String? {
            (isNamed ? value(variable) : nil) ?? file?.credential(key, of: container)
        }
        let proof: ConnectionPlace.Proof
        if let token = credential("ZONDA_API_TOKEN", "apiToken") {
            proof = .apiToken(token)
        } else if let id = credential("ZONDA_KEY_ID", "keyID"), let path = credential("ZONDA_KEY_FILE", "keyFile") {
            guard let pem = try? String(contentsOf: URL(fileURLWithPath: path), encoding: .utf8) else {
                throw CKError(.notAuthenticated, "The file \(path) with the server-to-server key cannot be read.")
            }
            proof = .key(id: id, pem: pem)
        } else {
            throw Self.missing(
                "no credentials for the container \(container)",
                remedy: "Set ZONDA_API_TOKEN to an API token of the container, which 'zonda token create' prints")
        }
        var place = ConnectionPlace(
            url: try Self.checked(url), container: container,
            environment: value("ZONDA_ENVIRONMENT") ?? file?.setting("environment", of: container) ?? "development",
            proof: proof)
        place.certificateFile = value("ZONDA_CERTIFICATE_FILE") ?? file?.setting("certificateFile", of: container)
        guard ZondaConnection.Environment(rawValue: place.environment) != nil else {
            throw CKError(
                .notAuthenticated,
                "The environment '\(place.environment)' is unknown. Set ZONDA_ENVIRONMENT to development or production."
            )
        }
        guard case .apiToken = proof else { return (place, nil) }
        if isNamed, let token = value("ZONDA_WEB_AUTH_TOKEN") { return (place, .memory(token)) }
        return (place, clientFile.map { .file($0) })
    }

    private func value(_ variable: String) -> String? {
        environment[variable].flatMap { $0.isEmpty ? nil : $0 }
    }

    private static func place(_ source: ZondaConnection, _ container: String) throws(CKError) -> ConnectionPlace {
        let proof: ConnectionPlace.Proof =
            switch source.credentials {
            case .apiToken(let token, _): .apiToken(token)
            case .serverToServerKey(let id, let pem): .key(id: id, pem: pem)
            }
        return ConnectionPlace(
            url: try checked(source.url.absoluteString), container: container, environment: source.environment.rawValue,
            proof: proof, certificateFile: source.certificateFile?.path)
    }

    private static func session(_ source: ZondaConnection) -> SessionPlace? {
        guard case .apiToken(_, let token?) = source.credentials else { return nil }
        return .memory(token)
    }

    private static func checked(_ url: String) throws(CKError) -> String {
        guard let parsed = URL(string: url), let scheme = parsed.scheme, ["http", "https"].contains(scheme),
            parsed.host?.isEmpty == false
        else {
            throw CKError(
                .notAuthenticated,
                "The address '\(url)' of the gateway is invalid. Set ZONDA_URL to an address such as https://example.org."
            )
        }
        return url.hasSuffix("/") ? String(url.dropLast()) : url
    }

    private static func missing(_ what: String, remedy: String) -> CKError {
        CKError(
            .notAuthenticated,
            "CloudKit is not configured: there is \(what). \(remedy), or write ~/.config/zonda/client.json, or set CKContainer.connection."
        )
    }
}
