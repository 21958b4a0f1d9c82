package import AMQPClient
package import Logging
package import PostgresClient
package import ServiceRuntime
package import SignedTokens

/// The configuration that results from ``HostSettings``.
package struct HostConfiguration: Sendable {
    /// The configuration of the broker connection.
    package var amqp: AMQPConfiguration
    /// The configuration of the database connection.
    package var postgres: PostgresConfiguration
    /// The host on which health and metrics are served.
    package var healthHost: String
    /// The port on which health and metrics are served.
    package var healthPort: Int
    /// The minimum log level.
    package var logLevel: Logger.Level
    /// The format of a log line.
    package var logFormat: ServiceLog.Format
    /// The rate limits on requests.
    package var throttle: ThrottleConfiguration
    /// The file that lists the requests that each broker user may send. Nil allows every request from a user that has
    /// the right to publish.
    package var producers: ProducersFile?
    private let signingKeys: Secret
    private static let settings = HostSettings()

    /// The session parameters of each database connection.
    package static let sessionParameters = planning.merging(timeouts) { $1 }

    /// The planner's settings. Every statement that the services execute looks up rows by key. A plan that was made
    /// while a partition or table was empty would use a scan, and would be kept until the table is analyzed again.
    /// Scans, hash joins and merge joins are therefore disabled. (The statements themselves fix the join order.) Where
    /// a scan is the only possible plan, as for a table with one row, its prohibitive cost would trigger JIT
    /// compilation, which takes 50 to 150 ms of CPU time at each execution. JIT is therefore disabled as well.
    private static let planning = [
        "enable_seqscan": "off", "enable_hashjoin": "off", "enable_mergejoin": "off",
        "plan_cache_mode": "force_generic_plan", "jit": "off",
    ]

    /// The timeouts that keep an instance from holding row locks indefinitely if it stops in the middle of a
    /// transaction.
    private static let timeouts = [
        "idle_in_transaction_session_timeout": "20s", "lock_timeout": "10s",
    ]

    /// Creates the configuration of a service from its settings. `name` identifies the service's connections in the
    /// broker and the database.
    package init(_ values: SettingValues, name: String, healthPort: Int) {
        let settings = Self.settings
        amqp = values[settings.amqp]
        if let password = values[settings.amqpPassword] { amqp.password = password.text }
        amqp.connectionName = name
        amqp.maxMessageBytes = values[settings.maxMessage]
        postgres = Self.database(values)
        postgres.applicationName = name
        postgres.parameters.merge(Self.sessionParameters) { $1 }
        guard let keys = values[settings.signingKeysFile] ?? values[settings.signingKeys] else {
            preconditionFailure("one of the two is required")
        }
        signingKeys = keys
        throttle = ThrottleSettings().configuration(values)
        producers = values[settings.producers]
        healthHost = values[settings.healthHost]
        self.healthPort = healthPort
        (logLevel, logFormat) = Self.log(values)
    }

    /// Derives the deployment's keys for one purpose.
    ///
    /// - Throws: a ``SettingError`` if there are no usable keys for the purpose.
    package func keys(for purpose: SigningKeys.Purpose) throws(SettingError) -> SigningKeys {
        do {
            return try SigningKeys(parsing: signingKeys.text, for: purpose)
        } catch {
            throw SettingError("signing.keys", "\(error)")
        }
    }

    /// The host settings that `migrate` reads, in addition to the service's ``ServiceProgram/migrationSettings``.
    static let migrationSettings: [any DeclaredSetting] =
        SourceSettings().declared + [
            settings.postgres, settings.postgresPassword, settings.logLevel, settings.logFormat,
        ]

    /// Returns the configuration of the database connection, as specified by ``migrationSettings``.
    static func database(_ values: SettingValues) -> PostgresConfiguration {
        var database = values[settings.postgres]
        database.password = values[settings.postgresPassword]?.text
        return database
    }

    /// Returns the minimum log level and the format of a log line, as specified by ``migrationSettings``.
    static func log(_ values: SettingValues) -> (level: Logger.Level, format: ServiceLog.Format) {
        (values[settings.logLevel], values[settings.logFormat])
    }
}

/// The configuration of a service.
package protocol HostedConfiguration: Sendable {
    /// The configuration common to all services.
    var host: HostConfiguration { get }
}
