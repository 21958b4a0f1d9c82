package import AMQPClient
package import CloudKitModel
package import Logging
package import PostgresClient
package import ServiceRuntime

/// The settings of the record service.
///
/// | variable | type, default | meaning |
/// | --- | --- | --- |
/// | `ZONDA_AMQP_URL` | secret URL, required | the broker: `amqp://user:password@host:port/vhost`, or `amqps` |
/// | `ZONDA_POSTGRES_URL` | secret URL, required | the database, as libpq reads it |
/// | `ZONDA_SIGNING_KEYS_FILE` | path, required | lines `id:64 hexadecimal digits`, the first signs |
/// | `ZONDA_HEALTH_HOST` | address, `127.0.0.1` | where health and metrics are served |
/// | `ZONDA_HEALTH_PORT` | 1…65535, 8101 | |
/// | `ZONDA_CREATE_CONTAINERS` | flag, `false` | whether a container is made on first use |
/// | `ZONDA_RECORD_LANES` | 1…64, 4 | write transactions at once |
/// | `ZONDA_RECORD_READERS` | 1…64, 4 | reads at once |
/// | `ZONDA_RECORD_PREFETCH` | 1…10000, 1000 | write requests held at once |
/// | `ZONDA_RECORD_HELD_BYTES` | bytes, 16 MiB | bodies of write requests held at once |
/// | `ZONDA_LIMIT_OPERATIONS` | 1…10000, 2000 | operations of a request |
/// | `ZONDA_LIMIT_BODY_BYTES` | bytes, 16 MiB | a request's body |
/// | `ZONDA_LIMIT_RECORD_BYTES` | bytes, 1 MiB | a record without its assets |
/// | `ZONDA_LIMIT_RESULTS` | 1…5000, 1000 | records of a page, whatever the request says |
/// | `ZONDA_LIMIT_DEFAULT_RESULTS` | 1…5000, 200 | records of a page, when the request does not say |
/// | `ZONDA_LOG_LEVEL` | `debug` … `error`, `info` | |
/// | `ZONDA_FAULTS` | flag, `false` | tests only: see `FaultSwitch` |
package struct RecordServiceConfiguration: Sendable {
    /// The broker.
    package var amqp: AMQPConfiguration
    /// The database.
    package var postgres: PostgresConfiguration
    /// Signs sync tokens.
    package var keys: SigningKeys
    /// Where health and metrics are served.
    package var healthHost: String
    /// The port of it.
    package var healthPort: Int
    /// Whether a container is made on first use.
    package var createsContainers: Bool
    /// Write transactions at once.
    package var lanes: Int
    /// Reads at once.
    package var readers: Int
    /// Write requests held at once.
    package var prefetch: Int
    /// Bytes of write requests held at once.
    package var heldBytes: Int
    /// The least level that is logged.
    package var logLevel: Logger.Level
    /// Whether messages may ask for failures.
    package var faults: Bool
    /// What requests may ask for.
    package var limits = Limits()

    /// What each connection to the database is set to.
    package static let sessionParameters = planning.merging(timeouts) { $1 }

    /// Every statement of the service looks rows up by key. A plan made while a partition or table was still empty
    /// would scan it, and go on scanning it until it is next analysed. (The joins' order is fixed in the statements.)
    private static let planning = [
        "enable_seqscan": "off", "enable_hashjoin": "off", "enable_mergejoin": "off",
        "plan_cache_mode": "force_generic_plan",
    ]

    /// An instance that stops in the middle of a transaction does not hold its zones for ever.
    private static let timeouts = [
        "idle_in_transaction_session_timeout": "20s", "lock_timeout": "10s",
    ]

    /// Operations of one write transaction, at most (a single request may have more).
    package static let maxBatchOperations = 256
    /// Bytes of bodies of one write transaction, at most (a single request may have more).
    package static let maxBatchBytes = 1 << 20

    /// Reads and checks the settings.
    ///
    /// - Throws: ``SettingError`` naming the variable.
    package init(_ settings: ServiceSettings) throws(SettingError) {
        amqp = try Self.broker(settings)
        amqp.connectionName = "zonda-record"
        postgres = try Self.database(settings)
        postgres.applicationName = "zonda-record"
        postgres.parameters.merge(Self.sessionParameters) { $1 }
        do {
            keys = try SigningKeys(parsing: try settings.fileText("ZONDA_SIGNING_KEYS_FILE"), for: .syncToken)
        } catch let error as SettingError {
            throw error
        } catch {
            throw SettingError("ZONDA_SIGNING_KEYS_FILE", "\(error)")
        }
        healthHost = settings.text("ZONDA_HEALTH_HOST") ?? "127.0.0.1"
        healthPort = try settings.integer("ZONDA_HEALTH_PORT", default: 8101, in: 1...65_535)
        createsContainers = try settings.flag("ZONDA_CREATE_CONTAINERS", default: false)
        lanes = try settings.integer("ZONDA_RECORD_LANES", default: 4, in: 1...64)
        readers = try settings.integer("ZONDA_RECORD_READERS", default: 4, in: 1...64)
        prefetch = try settings.integer("ZONDA_RECORD_PREFETCH", default: 1000, in: 1...10_000)
        heldBytes = try settings.integer("ZONDA_RECORD_HELD_BYTES", default: 16 << 20, in: 1 << 16...1 << 30)
        logLevel = try Self.logLevel(settings)
        faults = try settings.flag("ZONDA_FAULTS", default: false)
        limits.maxOperationsPerRequest = try settings.integer(
            "ZONDA_LIMIT_OPERATIONS", default: limits.maxOperationsPerRequest, in: 1...10_000)
        limits.maxBodyBytes = try settings.integer(
            "ZONDA_LIMIT_BODY_BYTES", default: limits.maxBodyBytes, in: 1024...64 << 20)
        limits.maxRecordBytes = try settings.integer(
            "ZONDA_LIMIT_RECORD_BYTES", default: limits.maxRecordBytes, in: 1024...16 << 20)
        limits.defaultResults = try settings.integer(
            "ZONDA_LIMIT_DEFAULT_RESULTS", default: limits.defaultResults, in: 1...5000)
        limits.maxResults = try settings.integer("ZONDA_LIMIT_RESULTS", default: limits.maxResults, in: 1...5000)
        // A lane, a reader, the two zone writers and the maintenance may each want a connection.
        postgres.maxConnections = lanes + readers + 4
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
