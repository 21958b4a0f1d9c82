package import AMQPClient
package import Logging
package import PostgresClient
package import ServiceRuntime
package import SignedTokens

/// What ``HostSettings`` say.
package struct HostConfiguration: Sendable {
    /// The broker.
    package var amqp: AMQPConfiguration
    /// The database.
    package var postgres: PostgresConfiguration
    /// Where health and metrics are served.
    package var healthHost: String
    /// The port of it.
    package var healthPort: Int
    /// The least level that is logged.
    package var logLevel: Logger.Level
    /// How a line of the log is written.
    package var logFormat: ServiceLog.Format
    /// How often requests may come.
    package var throttle: ThrottleConfiguration
    /// Which users of the broker may ask what; nil: whoever may publish.
    package var producers: ProducersFile?
    private let signingKeys: Secret
    private static let settings = HostSettings()

    /// What each connection to the database is set to.
    package static let sessionParameters = planning.merging(timeouts) { $1 }

    /// Every statement of the services looks rows up by key. A plan made while a partition or table was still empty
    /// would scan it, and go on scanning it until it is next analysed. (The joins' order is fixed in the statements.)
    /// Where a scan is the only way, as in a table of one row, its forbidding cost would have the statement compiled,
    /// 50 to 150 ms of processor time at each execution.
    private static let planning = [
        "enable_seqscan": "off", "enable_hashjoin": "off", "enable_mergejoin": "off",
        "plan_cache_mode": "force_generic_plan", "jit": "off",
    ]

    /// An instance that stops in the middle of a transaction does not hold its rows for ever.
    private static let timeouts = [
        "idle_in_transaction_session_timeout": "20s", "lock_timeout": "10s",
    ]

    /// The settings of the service that is known as `name` to broker and database.
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

    /// The deployment's keys, derived for one purpose.
    ///
    /// - Throws: ``SettingError``.
    package func keys(for purpose: SigningKeys.Purpose) throws(SettingError) -> SigningKeys {
        do {
            return try SigningKeys(parsing: signingKeys.text, for: purpose)
        } catch {
            throw SettingError("signing.keys", "\(error)")
        }
    }

    /// What `migrate` needs of them, beside a service's own.
    static let migrationSettings: [any DeclaredSetting] =
        SourceSettings().declared + [
            settings.postgres, settings.postgresPassword, settings.logLevel, settings.logFormat,
        ]

    /// The database as ``migrationSettings`` say.
    static func database(_ values: SettingValues) -> PostgresConfiguration {
        var database = values[settings.postgres]
        database.password = values[settings.postgresPassword]?.text
        return database
    }

    /// The least level that is logged, and how, as ``migrationSettings`` say.
    static func log(_ values: SettingValues) -> (level: Logger.Level, format: ServiceLog.Format) {
        (values[settings.logLevel], values[settings.logFormat])
    }
}

/// The configuration of a service.
package protocol HostedConfiguration: Sendable {
    /// Broker, database, health.
    var host: HostConfiguration { get }
}
