internal import AMQPClient
internal import CloudKitModel
internal import Logging
internal import PostgresClient
internal import RequestServing
internal import ServiceLifecycle
internal import ServiceMessages
internal import ServiceRuntime
internal import SubscriptionStorage

/// The parts of the service and their dependencies. Creating them does not start them.
struct SubscriptionServiceParts: Sendable {
    let publisher: AMQPPublisher
    let rpc: AMQPRPCClient
    let requests: AMQPConsumer
    let replays: AMQPConsumer
    let changes: AMQPConsumer
    let drops: AMQPConsumer
    let clientQueues: ClientQueues
    let dropCounter: DropCounter
    let backgroundJobs: BackgroundJobs
    let work: RequestWork
    let replayWork: RequestWork
    let fanOut: FanOut

    init(
        _ configuration: SubscriptionServiceConfiguration, pool: PostgresPool, partitions: TimePartitions,
        moments: MomentCheck? = nil, host: ServiceHost
    ) {
        let (retry, logger) = (host.retry, host.logger)
        let (metrics, requestMetrics) = (SubscriptionMetrics(host.metrics), host.requestMetrics)
        let amqp = configuration.host.amqp
        let limits = configuration.limits
        let clock = ContinuousClock()
        publisher = AMQPPublisher(configuration: amqp, topology: Topology.needed(by: .subscription), logger: logger)
        rpc = AMQPRPCClient(configuration: amqp, logger: logger)
        requests = AMQPConsumer(
            configuration: amqp, topology: Topology.needed(by: .subscription),
            consumptions: [
                AMQPConsumption(queue: Queue.subscriptionRequests, prefetch: 100),
                AMQPConsumption(queue: Queue.subscriptionAdmin, prefetch: 20),
                AMQPConsumption(queue: Queue.subscriptionInternal, prefetch: 20),
                AMQPConsumption(queue: Queue.dead(.subscription), prefetch: 50),
            ], logger: logger)
        // A replay takes seconds and must not delay other requests.
        replays = AMQPConsumer(
            configuration: amqp, topology: Topology.needed(by: .subscription),
            consumptions: [AMQPConsumption(queue: Queue.subscriptionReplays, prefetch: 10)], logger: logger)
        let queues = (0..<RoutingKey.shardCount).map { Queue.subscriptionChanges($0) }
        changes = AMQPConsumer(
            configuration: amqp, topology: Topology.needed(by: .subscription),
            consumptions: queues.map { AMQPConsumption(queue: $0, prefetch: UInt16(configuration.prefetch)) },
            maxHeldBytes: configuration.heldBytes, logger: logger)
        drops = AMQPConsumer(
            configuration: amqp, topology: Topology.needed(by: .subscription),
            consumptions: [AMQPConsumption(queue: Queue.subscriptionDrops, prefetch: 1000)], logger: logger)
        clientQueues = ClientQueues(amqp, bounds: configuration.clientQueues, logger: logger)
        dropCounter = DropCounter(consumer: drops, pool: pool, retry: retry, metrics: metrics)

        let call: RemoteCall = { [rpc] message, limit throws(AMQPError) in
            try await rpc.call(message, timeout: limit)
        }
        let send: ConfirmedPublish = { [publisher] in await publisher.publish($0) }
        let log = ChangeLogClient(call: call)
        let cursors = CursorTable(pool: pool)
        let membership = Membership(table: InstanceTable(pool: pool), renew: { [changes] in changes.renew(queue: $0) })
        let (firings, journal) = (FiringTable(pool: pool), DeliveryJournal(table: DeliveryTable(pool: pool)))
        let moments = moments ?? MomentCheck(pool: pool, metrics: metrics, logger: logger)
        let expiredClients = ExpiredClients(pool: pool, queues: clientQueues, metrics: metrics)
        backgroundJobs = BackgroundJobs(
            membership: membership, moments: moments,
            sweep: Sweep(
                table: SweepTable(pool: pool), cursors: cursors, log: log, send: send, metrics: metrics,
                period: configuration.sweepPeriod),
            partitions: partitions, journal: journal, firings: firings,
            clients: expiredClients, changes: changes,
            period: configuration.sweepPeriod, clock: clock, logger: logger)
        let recordService = RecordServiceClient(call: call)
        let subscriptions = MatchingTable(pool: pool)
        let batcher = NotificationBatcher(
            firings: firings, recipients: RecipientTable(pool: pool),
            publisher: NotificationPublisher(send: send, clock: clock, metrics: metrics, logger: logger),
            journal: journal, retry: retry)
        let notifier = Notifier(
            table: subscriptions,
            matcher: QueryMatcher(
                table: subscriptions, predicates: PredicateCache(),
                rights: RightsCheck(
                    table: RightsTable(pool: pool), interests: InterestCheck(client: recordService), retry: retry,
                    clock: clock, logger: logger),
                retry: retry),
            audiences: AudienceCheck(
                client: AudienceClient(client: recordService), cache: AudienceCache(), logger: logger),
            batcher: batcher, retry: retry)
        let mover = CursorMover(table: cursors, retry: retry)
        // Each page of the log can be up to 8 MiB in size.
        let logReads = AsyncSemaphore(permits: 8)
        // Matching takes processor time, which the rounds also require.
        let costlyDeliveries = AsyncSemaphore(permits: 4)
        var lanes: [String: ShardLane] = [:]
        for queue in queues {
            lanes[queue] = ShardLane(
                consumer: changes, prefetch: configuration.prefetch, cursors: cursors, mover: mover,
                notifier: notifier, log: log, logReads: logReads, costlyDeliveries: costlyDeliveries, retry: retry,
                clock: clock,
                metrics: metrics, logger: logger)
        }
        fanOut = FanOut(consumer: changes, membership: membership, lanes: lanes, mover: mover)

        let operations = SubscriptionOperations(
            modify: SubscriptionsModifyOperation(
                pool: pool, ledger: RequestLedger(pool: pool, table: .subscription),
                zones: ZoneCheck(client: recordService), interests: InterestCheck(client: recordService),
                maxOperations: limits.maxSubscriptionOperations, maxSubscriptions: limits.maxSubscriptions,
                maxUnselectiveSubscriptions: limits.maxUnselectiveSubscriptions),
            list: SubscriptionsListOperation(pool: pool, maxOperations: limits.maxSubscriptionOperations),
            badges: BadgesOperation(pool: pool), states: SubscriptionStatesOperation(pool: pool),
            test: SubscriptionsTestOperation(pool: pool, recipients: RecipientTable(pool: pool), send: send),
            tokens: TokensOperations(
                pool: pool, ledger: RequestLedger(pool: pool, table: .subscription),
                zones: ZoneCheck(client: recordService), queues: clientQueues, keys: configuration.clientKeys,
                courier: WebCourierAddress(url: configuration.courierURL, life: configuration.clientLife),
                maxClients: limits.maxClients),
            forget: ForgetOperation(pool: pool, clients: expiredClients, queues: clientQueues),
            consumers: ConsumerOperations(table: ConsumerTable(pool: pool)), retry: retry)
        let responder = Responder(publisher: publisher, metrics: requestMetrics, logger: logger)
        let workers = RequestWorkers(
            count: configuration.workers, consumer: requests, responder: responder, metrics: requestMetrics,
            handle: { await operations.answer($0) })
        work = RequestWork(
            intake: RequestIntake(
                consumer: requests, deadQueue: Queue.dead(.subscription),
                reader: RequestReader(limits: limits, throttle: host.throttle, producers: host.producers),
                workers: workers, responder: responder, metrics: requestMetrics),
            workers: workers)

        let replay = ReplayOperation(
            table: ConsumerTable(pool: pool), log: NotificationLog(configuration: amqp, send: send, logger: logger),
            retry: retry, metrics: metrics)
        let replayWorkers = RequestWorkers(
            count: ReplayOperation.workers, consumer: replays, responder: responder, metrics: requestMetrics,
            handle: { await replay.answer($0) })
        replayWork = RequestWork(
            intake: RequestIntake(
                consumer: replays, deadQueue: Queue.dead(.subscription), reader: RequestReader(limits: limits),
                workers: replayWorkers, responder: responder, metrics: requestMetrics),
            workers: replayWorkers)
    }

    /// The services and clients for the host. Consumers start last and stop first.
    var parts: ServiceParts {
        ServiceParts(
            services: [
                publisher, rpc, clientQueues, backgroundJobs, work, replayWork, fanOut, dropCounter, drops, requests,
                replays,
                changes,
            ],
            clients: [
                BrokerClient("publisher", publisher), BrokerClient("rpc", rpc), BrokerClient("requests", requests),
                BrokerClient("replays", replays), BrokerClient("changes", changes), BrokerClient("drops", drops),
            ])
    }
}
