/// The server's address, and the settings and limits for connections to it.
package struct PostgresConfiguration: Sendable {
    /// A libpq connection URI, with any parameters that libpq accepts, such as several hosts, `sslmode`, `sslrootcert`
    /// or `target_session_attrs`. It may contain a password, so it must never be logged.
    package var url: String
    /// The password, which overrides the URL's password. It must never be logged.
    package var password: String?
    /// The maximum number of connections that the pool opens. At least 1.
    package var maxConnections = 8
    /// The time limit for one connection attempt, including TLS and authentication but not the look-up of host names.
    package var connectTimeout: Duration = .seconds(5)
    /// The time for which a caller waits for a connection before the wait fails with `PostgresError.Code.leaseTimedOut`
    /// or the last connection error.
    package var leaseTimeout: Duration = .seconds(30)
    /// The maximum time that one statement may run on the server; `nil` uses the server's setting.
    package var statementTimeout: Duration?
    /// The time for which the pool's shutdown waits for leased connections before it closes them.
    package var drainTimeout: Duration = .seconds(10)
    /// The application name that `pg_stat_activity` shows.
    package var applicationName = "zonda"
    /// The schemas in which unqualified names are looked up, in order; `nil` uses the server's setting.
    package var searchPath: [String]?
    /// Further server settings for each connection, such as `lock_timeout`.
    package var parameters: [String: String] = [:]
    /// The maximum number of statements that each connection keeps prepared, at least 1. Only statements that have not
    /// been used for a long time are evicted; while there is no room, further statements run unprepared.
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

    /// The parameters passed to libpq. Later parameters take precedence, so the URL overrides the parameters before it.
    var connectionParameters: [(keyword: String, value: String)] {
        [
            // With these settings, a peer that vanishes silently is detected within about a minute. The system's
            // default is two hours.
            ("keepalives_idle", "20"), ("keepalives_interval", "10"), ("keepalives_count", "3"),
            ("tcp_user_timeout", "30000"),
            ("dbname", url),
            ("client_encoding", "UTF8"), ("application_name", applicationName),
        ] + (password.map { [("password", $0)] } ?? [])
    }
}

extension PostgresConfiguration: CustomStringConvertible {
    /// A description without any part that could contain a password.
    package var description: String { "PostgresConfiguration(\(applicationName))" }
}

/// Names of schemas, tables and columns as written in SQL text.
package enum PostgresIdentifier {
    /// Returns the name in double quotes, so that the server takes it literally.
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
    /// The duration in milliseconds, rounded up so that a very short limit does not become 0, which the server treats
    /// as no limit.
    var wholeMilliseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
    }
}
