package import CloudKitModel
internal import PostgresClient
package import RequestServing
package import ServiceMessages
package import ServiceRuntime
package import SignedTokens

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
    /// Where registered clients poll.
    package var courierURL: String
    /// How long a client stays registered.
    package var clientLife: Duration
    /// The queues of clients that are made from now on.
    package var clientQueues: ClientQueueBounds
    /// What signs clients' tokens.
    package var clientKeys: SigningKeys

    /// How much longer than a registration an unused queue stays: whoever registers in time finds it.
    private static let queueGrace = Duration.seconds(600)

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
        courierURL = values[own.courierURL]
        clientLife = values[own.clientLife]
        clientQueues = ClientQueueBounds(
            expiry: clientLife + Self.queueGrace, maxMessages: values[own.clientMessages],
            maxBytes: values[own.clientBytes])
        clientKeys = try host.keys(for: .clientToken)
        // The workers, half of the lanes, the rounds, the cursors' mover, and the drops' counter; a lane that finds none
        // free waits a moment.
        host.postgres.maxConnections = workers + 18
    }
}
