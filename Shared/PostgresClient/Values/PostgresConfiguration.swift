/// The server's address and the limits of its connections.
package struct PostgresConfiguration: Sendable {
    /// A libpq connection URI, with all parameters that libpq accepts: several hosts, `sslmode`, `sslrootcert`,
    /// `target_session_attrs` … It may contain a password: never log it.
    package var url: String
    /// Overrides the URL's password. Never log it either.
    package var password: String?
    /// The maximum number of connections that the pool opens. At least 1.
    package var maxConnections = 8
    /// The time limit of one connection attempt, including TLS and authentication but not host name look-up.
    package var connectTimeout: Duration = .seconds(5)
    /// How long a caller waits for a connection before it fails with `PostgresError.Code.leaseTimedOut` or the last
    /// connection error.
    package var leaseTimeout: Duration = .seconds(30)
    /// How long the server lets one statement run; `nil` uses the server's setting.
    package var statementTimeout: Duration?
    /// How long the pool's shutdown waits for leased connections before it closes them.
    package var drainTimeout: Duration = .seconds(10)
    /// The name in `pg_stat_activity`.
    package var applicationName = "zonda"
    /// The schemas in which unqualified names are looked up, in order; `nil` uses the server's setting.
    package var searchPath: [String]?
    /// Further server settings of each connection, such as `lock_timeout`.
    package var parameters: [String: String] = [:]
    /// The maximum number of statements that each connection keeps prepared, at least 1. Only statements that have not
    /// been used for long are evicted; while there is no room, further statements run unprepared.
    package var maxPreparedStatements = 500

    package init(url: String) {
        self.url = url
    }

    /// All server settings of a connection, by name.
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

    /// The parameters passed to libpq. Later ones take precedence, so the URL overrides those before it.
    var connectionParameters: [(keyword: String, value: String)] {
        [
            // A peer that vanished silently is detected within about a minute instead of the system's default of two
            // hours.
            ("keepalives_idle", "20"), ("keepalives_interval", "10"), ("keepalives_count", "3"),
            ("tcp_user_timeout", "30000"),
            ("dbname", url),
            ("client_encoding", "UTF8"), ("application_name", applicationName),
        ] + (password.map { [("password", $0)] } ?? [])
    }
}

extension PostgresConfiguration: CustomStringConvertible {
    /// Contains nothing that could hold a password.
    package var description: String { "PostgresConfiguration(\(applicationName))" }
}

/// Names of schemas, tables and columns as written in SQL text.
package enum PostgresIdentifier {
    /// Returns the name in double quotes, so that it is taken literally.
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
    /// Milliseconds, rounded up, so that a very short limit does not become 0, which the server treats as no limit.
    var wholeMilliseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
    }
}
