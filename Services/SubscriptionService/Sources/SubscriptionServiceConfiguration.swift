package import CloudKitModel
internal import PostgresClient
package import RequestServing
package import ServiceMessages
package import ServiceRuntime
package import SignedTokens

/// The configuration of the service, read from ``SubscriptionSettings`` and `HostSettings`.
package struct SubscriptionServiceConfiguration: HostedConfiguration {
    /// The broker, the database and the health server.
    package var host: HostConfiguration
    /// The interval between searches for lost events.
    package var sweepPeriod: Duration
    /// The maximum number of change events that are held simultaneously for a shard.
    package var prefetch: Int
    /// The maximum total size, in bytes, of the change events that are held simultaneously.
    package var heldBytes: Int
    /// The number of requests that are executed concurrently.
    package var workers: Int
    /// The limits on requests.
    package var limits: Limits
    /// The address at which registered clients poll.
    package var courierURL: String
    /// How long a client's registration is valid.
    package var clientLife: Duration
    /// The limits of clients' queues. Changes apply only to new queues.
    package var clientQueues: ClientQueueBounds
    /// The keys that sign clients' tokens.
    package var clientKeys: SigningKeys

    /// How long an unused queue is kept after its registration has expired, so that a renewed registration still finds
    /// the queue.
    private static let queueGrace = Duration.seconds(600)

    /// All settings of the service.
    package static let settings = HostSettings().all + ownSettings.declared + limitSettings.declared
    private static let ownSettings = SubscriptionSettings()
    private static let limitSettings = LimitSettings(Limit.subscription)

    /// Reads and checks the settings.
    ///
    /// - Throws: a ``SettingError`` that names all invalid settings.
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
        // This is enough for the workers, half the lanes, the background jobs, the cursor mover and the drop counter. A
        // lane waits if no connection is free.
        host.postgres.maxConnections = workers + 18
    }
}
