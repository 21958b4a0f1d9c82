package import CloudKitModel
internal import PostgresClient
package import RequestServing
package import ServiceRuntime

/// The settings of the subscription service, beside those of ``HostConfiguration``.
///
/// | variable | type, default | meaning |
/// | --- | --- | --- |
/// | `ZONDA_SUBSCRIPTION_SWEEP` | 1…3600 s, 2 | the time between two looks for lost events |
/// | `ZONDA_SUBSCRIPTION_PREFETCH` | 1…10000, 200 | change events of a shard held at once |
/// | `ZONDA_SUBSCRIPTION_HELD_BYTES` | bytes, 32 MiB | bodies of change events held at once |
/// | `ZONDA_SUBSCRIPTION_WORKERS` | 1…64, 4 | requests executed at once |
/// | `ZONDA_LIMIT_SUBSCRIPTIONS` | 1…100000, 1000 | subscriptions of a user in a database |
/// | `ZONDA_LIMIT_SUBSCRIPTION_OPERATIONS` | 1…10000, 200 | operations of a request |
/// | `ZONDA_LIMIT_BODY_BYTES` | bytes, 16 MiB | a request's body |
package struct SubscriptionServiceConfiguration: Sendable {
    /// Broker, database, health.
    package var host: HostConfiguration
    /// The time between two looks for lost events.
    package var sweepPeriod: Duration
    /// Change events of a shard held at once.
    package var prefetch: Int
    /// Bodies of change events held at once, in bytes.
    package var heldBytes: Int
    /// Requests executed at once.
    package var workers: Int
    /// Subscriptions of a user in a database.
    package var maxSubscriptions: Int
    /// What requests may ask for.
    package var limits = Limits()

    /// Reads and checks the settings.
    ///
    /// - Throws: ``SettingError`` naming the variable.
    package init(_ settings: ServiceSettings) throws(SettingError) {
        host = try HostConfiguration(settings, name: "zonda-subscription", healthPort: 8103)
        sweepPeriod = .seconds(try settings.integer("ZONDA_SUBSCRIPTION_SWEEP", default: 2, in: 1...3600))
        prefetch = try settings.integer("ZONDA_SUBSCRIPTION_PREFETCH", default: 200, in: 1...10_000)
        heldBytes = try settings.integer("ZONDA_SUBSCRIPTION_HELD_BYTES", default: 32 << 20, in: 1 << 16...1 << 30)
        workers = try settings.integer("ZONDA_SUBSCRIPTION_WORKERS", default: 4, in: 1...64)
        maxSubscriptions = try settings.integer("ZONDA_LIMIT_SUBSCRIPTIONS", default: 1000, in: 1...100_000)
        limits.maxOperationsPerRequest = try settings.integer(
            "ZONDA_LIMIT_SUBSCRIPTION_OPERATIONS", default: 200, in: 1...10_000)
        limits.maxBodyBytes = try settings.integer(
            "ZONDA_LIMIT_BODY_BYTES", default: limits.maxBodyBytes, in: 1024...64 << 20)
        // The workers, half of the lanes, and the rounds; a lane that finds none free waits a moment.
        host.postgres.maxConnections = workers + 11
    }
}
