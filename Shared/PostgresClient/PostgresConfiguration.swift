/// Where the server is and how its connections are used.
package struct PostgresConfiguration: Sendable {
    /// A libpq connection URI, with everything that libpq reads from one: several hosts, `sslmode`, `sslrootcert`,
    /// `target_session_attrs` … It can hold a password: never log it.
    package var url: String
    /// Takes the place of the URL's password. Never log it either.
    package var password: String?
    /// The most connections the pool opens. At least 1.
    package var maxConnections = 8
    /// How long one attempt to connect may take, including TLS and authentication.
    package var connectTimeout: Duration = .seconds(5)
    /// How long a caller waits for a connection before it gets `PostgresError.Code.leaseTimedOut`.
    package var leaseTimeout: Duration = .seconds(30)
    /// How long the server lets one statement run; `nil` leaves it to the server's own setting.
    package var statementTimeout: Duration?
    /// How long the pool, when it shuts down, waits for lent connections before it closes them.
    package var drainTimeout: Duration = .seconds(10)
    /// The name in `pg_stat_activity`.
    package var applicationName = "zonda"
    /// The schemas in which unqualified names are looked up, first one first; `nil` leaves it to the server.
    package var searchPath: [String]?
    /// Further server settings of each connection, such as `lock_timeout`.
    package var parameters: [String: String] = [:]
    /// The most statements each connection keeps prepared; the least recently used ones go first. At least 1.
    package var maxPreparedStatements = 500

    package init(url: String) {
        self.url = url
    }

    /// All server settings of a connection by name.
    var settings: [(name: String, value: String)] {
        var settings = parameters.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
        if let statementTimeout {
            settings.append(("statement_timeout", "\(statementTimeout.wholeMilliseconds)"))
        }
        if let searchPath {
            settings.append(("search_path", searchPath.map(PostgresIdentifier.quote).joined(separator: ", ")))
        }
        return settings
    }

    /// What libpq is told, in order: what comes later wins, so the URL overrides what stands before it.
    var connectionParameters: [(keyword: String, value: String)] {
        [
            // A peer that vanished without a word is noticed within about a minute, not after the system's two hours.
            ("keepalives_idle", "20"), ("keepalives_interval", "10"), ("keepalives_count", "3"),
            ("tcp_user_timeout", "30000"),
            ("dbname", url),
            ("client_encoding", "UTF8"), ("application_name", applicationName),
        ] + (password.map { [("password", $0)] } ?? [])
    }
}

extension PostgresConfiguration: CustomStringConvertible {
    /// Nothing that could hold a password.
    package var description: String { "PostgresConfiguration(\(applicationName))" }
}

/// Names of schemas, tables and columns as they stand in SQL text.
package enum PostgresIdentifier {
    /// The name in double quotes, so that it means exactly itself.
    package static func quote(_ name: String) -> String {
        var quoted = "\""
        for character in name.unicodeScalars {
            if character == "\"" { quoted += "\"" }
            quoted.unicodeScalars.append(character)
        }
        return quoted + "\""
    }
}

extension Duration {
    /// Rounded up, so that a very short limit does not turn into 0, which means no limit to the server.
    var wholeMilliseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
    }
}
