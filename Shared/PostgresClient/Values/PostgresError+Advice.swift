extension PostgresError {
    /// The names of the settings for the URL and the password, as used in the advice for a failed connection.
    package struct Places: Sendable {
        /// The name of the setting for the URL.
        package var url: String
        /// The name of the setting for the password.
        package var password: String

        /// Creates the names.
        package init(url: String, password: String) {
            self.url = url
            self.password = password
        }

        /// The settings shared by all services.
        package static let settings = Places(
            url: "ZONDA_POSTGRES_URL", password: "ZONDA_POSTGRES_PASSWORD, or the password in ZONDA_POSTGRES_URL,")
    }

    /// The reason why no connection could be established, and the remedy; nil for every other error.
    package var connectionAdvice: String? { connectionAdvice(.settings) }

    /// Returns the same advice with different names for the settings.
    package func connectionAdvice(_ places: Places) -> String? {
        guard code == .connectFailed else { return nil }
        guard let sqlState else { return "The database cannot be reached. Check the host and port in \(places.url)." }
        return switch sqlState {
        case .invalidPassword:
            "The database refuses the password. Set \(places.password) to the role's password."
        case .invalidAuthorization:
            "The database refuses the role. Check the user in \(places.url), its LOGIN attribute and pg_hba.conf."
        case .invalidCatalogName:
            "There is no such database. Check the database's name in \(places.url), or create the database."
        case .insufficientPrivilege:
            "The role is not allowed to connect to the database. Grant it CONNECT, or check the user in \(places.url)."
        case .undefinedObject, .invalidParameterValue:
            "The database does not accept a connection parameter. Check the parameters in \(places.url)."
        case .tooManyConnections:
            "The database has no free connections. Raise its max_connections, or run fewer instances."
        case .cannotConnectNow, .adminShutdown, .crashShutdown:
            "The database is starting up or shutting down. Wait until it is ready."
        default:
            "The database refuses the connection. Check \(places.url) and the database's log."
        }
    }
}
