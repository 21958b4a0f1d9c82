package import CloudKitModel
internal import PostgresClient
package import RequestServing
package import ServiceRuntime

/// What ``SubscriptionSettings`` and `HostSettings` say.
package struct SubscriptionServiceConfiguration: HostedConfiguration {
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
    /// What requests may ask for.
    package var limits: Limits

    /// All settings of the service.
    package static let settings = HostSettings().all + ownSettings.declared + limitSettings.declared
    private static let ownSettings = SubscriptionSettings()
    private static let limitSettings = LimitSettings(Limit.subscription)

    /// Reads and checks the settings.
    ///
    /// - Throws: ``SettingError`` naming all that are wrong.
    package init(_ settings: ServiceSettings) throws(SettingError) {
        let (values, own) = (try settings.read(Self.settings), Self.ownSettings)
        host = HostConfiguration(values, name: "zonda-subscription", healthPort: values[own.healthPort])
        sweepPeriod = values[own.sweep]
        prefetch = values[own.prefetch]
        heldBytes = values[own.heldBytes]
        workers = values[own.workers]
        limits = Self.limitSettings.limits(values)
        // The workers, half of the lanes, the rounds, and the cursors' mover; a lane that finds none free waits a moment.
        host.postgres.maxConnections = workers + 12
    }
}
