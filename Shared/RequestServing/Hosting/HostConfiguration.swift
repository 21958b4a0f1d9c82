package import AMQPClient
package import Logging
package import PostgresClient
package import ServiceRuntime
package import SignedTokens

/// The settings that every service has.
///
/// | variable | type, default | meaning |
/// | --- | --- | --- |
/// | `ZONDA_AMQP_URL` | secret URL, required | the broker: `amqp://user:password@host:port/vhost`, or `amqps` |
/// | `ZONDA_POSTGRES_URL` | secret URL, required | the database, as libpq reads it |
/// | `ZONDA_SIGNING_KEYS_FILE` | path, required | lines `id:64 hexadecimal digits`, the first signs |
/// | `ZONDA_HEALTH_HOST` | address, `127.0.0.1` | where health and metrics are served |
/// | `ZONDA_HEALTH_PORT` | 1…65535 | |
/// | `ZONDA_LOG_LEVEL` | `debug` … `error`, `info` | |
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
    private let signingKeys: String

    /// What each connection to the database is set to.
    package static let sessionParameters = planning.merging(timeouts) { $1 }

    /// Every statement of the services looks rows up by key. A plan made while a partition or table was still empty
    /// would scan it, and go on scanning it until it is next analysed. (The joins' order is fixed in the statements.)
    private static let planning = [
        "enable_seqscan": "off", "enable_hashjoin": "off", "enable_mergejoin": "off",
        "plan_cache_mode": "force_generic_plan",
    ]

    /// An instance that stops in the middle of a transaction does not hold its rows for ever.
    private static let timeouts = [
        "idle_in_transaction_session_timeout": "20s", "lock_timeout": "10s",
    ]

    /// Reads and checks the settings of the service that is known as `name` to broker and database.
    ///
    /// - Throws: ``SettingError`` naming the variable.
    package init(_ settings: ServiceSettings, name: String, healthPort: Int) throws(SettingError) {
        amqp = try Self.broker(settings)
        amqp.connectionName = name
        postgres = try Self.database(settings)
        postgres.applicationName = name
        postgres.parameters.merge(Self.sessionParameters) { $1 }
        signingKeys = try settings.fileText("ZONDA_SIGNING_KEYS_FILE")
        healthHost = settings.text("ZONDA_HEALTH_HOST") ?? "127.0.0.1"
        self.healthPort = try settings.integer("ZONDA_HEALTH_PORT", default: healthPort, in: 1...65_535)
        logLevel = try Self.logLevel(settings)
    }

    /// The deployment's keys, derived for one purpose.
    ///
    /// - Throws: ``SettingError``.
    package func keys(for purpose: SigningKeys.Purpose) throws(SettingError) -> SigningKeys {
        do {
            return try SigningKeys(parsing: signingKeys, for: purpose)
        } catch {
            throw SettingError("ZONDA_SIGNING_KEYS_FILE", "\(error)")
        }
    }

    /// The database's settings alone, for `migrate`.
    package static func database(_ settings: ServiceSettings) throws(SettingError) -> PostgresConfiguration {
        PostgresConfiguration(url: try settings.requiredText("ZONDA_POSTGRES_URL", isSecret: true))
    }

    /// The least level that is logged.
    package static func logLevel(_ settings: ServiceSettings) throws(SettingError) -> Logger.Level {
        let text = settings.text("ZONDA_LOG_LEVEL") ?? "info"
        guard let level = Logger.Level(rawValue: text) else {
            throw SettingError("ZONDA_LOG_LEVEL", "must be one of trace, debug, info, notice, warning, error, critical")
        }
        return level
    }

    private static func broker(_ settings: ServiceSettings) throws(SettingError) -> AMQPConfiguration {
        let url = try settings.requiredText("ZONDA_AMQP_URL", isSecret: true)
        do {
            return try AMQPConfiguration(url: url)
        } catch {
            throw SettingError("ZONDA_AMQP_URL", error.message)
        }
    }
}
