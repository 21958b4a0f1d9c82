extension PostgresError {
    /// Where an operator sets what a connection is made with, as the advice on a failed one names it.
    package struct Places: Sendable {
        /// Of the address.
        package var url: String
        /// Of the password.
        package var password: String

        /// These places.
        package init(url: String, password: String) {
            self.url = url
            self.password = password
        }

        /// The settings that all services have.
        package static let settings = Places(
            url: "ZONDA_POSTGRES_URL", password: "ZONDA_POSTGRES_PASSWORD, or the password in ZONDA_POSTGRES_URL,")
    }

    /// What failed and what to do about it, when no connection could be made; nil for every other error.
    package var connectionAdvice: String? { connectionAdvice(.settings) }

    /// The same where other names than those of the services' settings are known.
    package func connectionAdvice(_ places: Places) -> String? {
        guard code == .connectFailed else { return nil }
        guard let sqlState else { return "The database cannot be reached. Check host and port in \(places.url)." }
        return switch sqlState {
        case .invalidPassword:
            "The database refuses the password. Set \(places.password) to that of the role."
        case .invalidAuthorization:
            "The database refuses the role. Check the user in \(places.url), that the role may log in, and pg_hba.conf."
        case .invalidCatalogName:
            "There is no such database. Check the database's name in \(places.url), or create it."
        case .insufficientPrivilege:
            "The role may not connect to the database. Grant it CONNECT, or check the user in \(places.url)."
        case .undefinedObject, .invalidParameterValue:
            "The database does not know a parameter of the connection. Check the parameters in \(places.url)."
        case .tooManyConnections:
            "The database has no connection left. Raise its max_connections, or run fewer instances."
        case .cannotConnectNow, .adminShutdown, .crashShutdown:
            "The database is starting or stopping. Wait until it is ready."
        default:
            "The database refuses the connection. Check \(places.url) and the database's log."
        }
    }
}
