internal import AMQPClient
internal import CloudKitModel
internal import Logging
internal import PostgresClient
internal import RecordStorage
internal import RequestServing
internal import ServiceLifecycle
internal import ServiceMessages
internal import ServiceRuntime

/// The parts of the service. Creating this value does not start them.
struct RecordServiceParts: Sendable {
    let publisher: AMQPPublisher
    let writeConsumer: AMQPConsumer
    let readConsumer: AMQPConsumer
    let internalConsumer: AMQPConsumer
    let adminConsumer: AMQPConsumer
    let queryConsumer: AMQPConsumer
    let queryPool: PostgresPool
    let work: RecordWork
    let background: PeriodicJobs

    init(
        _ configuration: RecordServiceConfiguration, pool: PostgresPool, watch: StoreWatch,
        partitions: TimePartitions, host: ServiceHost
    ) {
        let (retry, metrics, logger) = (host.retry, host.requestMetrics, host.logger)
        let amqp = configuration.host.amqp
        var limits = configuration.limits
        limits.maxAnswerBytes = amqp.maxAnswerBytes
        publisher = AMQPPublisher(configuration: amqp, topology: Topology.needed(by: .record), logger: logger)
        writeConsumer = AMQPConsumer(
            configuration: amqp, topology: Topology.needed(by: .record),
            consumptions: [AMQPConsumption(queue: Queue.recordWrites, prefetch: UInt16(configuration.prefetch))],
            maxHeldBytes: configuration.heldBytes, logger: logger)
        // Each consumer has its own connection, so that the unfinished messages of one consumer do not keep the others
        // from receiving messages.
        readConsumer = AMQPConsumer(
            configuration: amqp, topology: Topology.needed(by: .record),
            consumptions: [AMQPConsumption(queue: Queue.recordReads, prefetch: 200)],
            maxHeldBytes: configuration.heldBytes / 2, logger: logger)
        internalConsumer = AMQPConsumer(
            configuration: amqp, topology: Topology.needed(by: .record),
            consumptions: [AMQPConsumption(queue: Queue.recordInternal, prefetch: 50)],
            maxHeldBytes: configuration.heldBytes / 4, logger: logger)
        adminConsumer = AMQPConsumer(
            configuration: amqp, topology: Topology.needed(by: .record),
            consumptions: [
                AMQPConsumption(queue: Queue.recordAdmin, prefetch: 10),
                AMQPConsumption(queue: Queue.dead(.record), prefetch: 50),
            ], maxHeldBytes: configuration.heldBytes / 4, logger: logger)
        queryConsumer = AMQPConsumer(
            configuration: amqp, topology: Topology.needed(by: .record),
            consumptions: [AMQPConsumption(queue: Queue.recordQueries, prefetch: 100)],
            maxHeldBytes: configuration.heldBytes / 4, logger: logger)
        queryPool = PostgresPool(configuration: configuration.queryDatabase, logger: logger)
        let directory = ZoneDirectory(
            pool: pool, createsContainers: configuration.createsContainers, maxBytes: configuration.directoryBytes)
        let schema = SchemaStore(pool: pool)
        let jobs = RecordJobs(
            partitions: partitions,
            reclaimer: Reclaimer(pool: pool, retention: configuration.retention, logger: logger),
            cascades: CascadeJob(pool: pool, schema: schema, logger: logger),
            moves: ShareMoveJob(pool: pool, logger: logger),
            purger: TombstonePurger(pool: pool, retention: configuration.retention),
            indexes: IndexBuilder(pool: pool, logger: logger), watch: watch,
            meters: JobMeters(pool: pool, metrics: host.metrics), logger: logger)
        background = PeriodicJobs(jobs.all, logger: logger)
        let store = OperationDependencies(
            pool: pool, directory: directory, schema: schema, keys: configuration.keys,
            markerKeys: configuration.markerKeys, present: watch.incarnation, limits: limits,
            downloads: configuration.downloads, queryPool: queryPool,
            queryTime: configuration.queryTimeout, indexes: QueryIndexes(pool: pool, reading: queryPool),
            throttle: configuration.host.throttle)
        let operations = OperationTable(store, retry: retry, partitions: partitions)
        let responder = Responder(publisher: publisher, metrics: metrics, logger: logger)
        let recordMetrics = RecordMetrics(host.metrics)
        let busy = BusyWrites(
            publisher: publisher, consumer: writeConsumer, responder: responder, metrics: recordMetrics,
            requestMetrics: metrics)
        let databaseWrites = DatabaseWrites(
            responder: responder, consumer: writeConsumer, busy: busy, metrics: metrics, retry: retry,
            logger: logger, execute: { try await operations.attempt($0) })
        let queue = WriteQueue(
            maxOperations: RecordServiceConfiguration.maxBatchOperations,
            maxBytes: RecordServiceConfiguration.maxBatchBytes, maxWaiting: max(1, configuration.lanes / 4),
            bounds: HeldBounds(
                window: HeldBounds.Share(requests: configuration.prefetch, bytes: configuration.heldBytes)),
            evict: { requests, queue in
                // The answer to a user who may not see the zone must not reveal that the zone is busy.
                let shared = requests.filter { $0.isShared && !$0.delivery.isUnanswered }
                for request in shared { databaseWrites.add(.records(UnresolvedWrite(request))) }
                busy.take(requests.filter { !$0.isShared || $0.delivery.isUnanswered }, of: queue)
            })
        let faults = FaultSwitch(isOn: configuration.faults)
        let lookUp = ZoneLookUp(
            pool: pool, directory: directory, queue: queue, databaseWrites: databaseWrites, responder: responder,
            consumer: writeConsumer, metrics: metrics, retry: retry, logger: logger)
        let extender = SchemaExtender(
            schema: schema, directory: directory, queue: queue, lookUp: lookUp, responder: responder,
            consumer: writeConsumer, metrics: metrics, retry: retry, logger: logger)
        let reads = RequestWorkers(
            count: configuration.readers, consumer: readConsumer, responder: responder, metrics: metrics,
            handle: {
                faults.executing($0)
                return await operations.answer($0)
            })
        let internals = RequestWorkers(
            count: RecordServiceConfiguration.internalWorkers, consumer: internalConsumer, responder: responder,
            metrics: metrics, handle: { await operations.answer($0) })
        let admin = RequestWorkers(
            count: RecordServiceConfiguration.adminWorkers, consumer: adminConsumer, responder: responder,
            metrics: metrics, handle: { await operations.answer($0) })
        let queries = RequestWorkers(
            count: configuration.queries, consumer: queryConsumer, responder: responder, metrics: metrics,
            handle: { await operations.answer($0) })
        let reader = RequestReader(limits: limits, throttle: host.throttle, producers: host.producers)
        work = RecordWork(
            writeIntake: WriteIntake(
                consumer: writeConsumer, reader: reader, lookUp: lookUp, queue: queue, databaseWrites: databaseWrites,
                responder: responder, metrics: metrics, limits: limits,
                strictReferences: configuration.strictReferences),
            lane: WriteLane(
                queue: queue,
                transaction: WriteTransaction(
                    pool: pool, schema: schema, tokens: store.tokens, receiptKeys: configuration.receiptKeys,
                    limits: limits, faults: faults),
                directory: directory, lookUp: lookUp, extender: extender, partitions: partitions,
                responder: responder,
                unconfirmed: UnconfirmedAnswers(
                    downloads: configuration.downloads, maxAnswerBytes: limits.maxAnswerBytes), consumer: writeConsumer,
                faults: faults,
                retry: retry, metrics: recordMetrics, live: LiveRequests(consumer: writeConsumer, metrics: metrics),
                logger: logger),
            lanes: configuration.lanes, queue: queue, lookUp: lookUp, extender: extender,
            databaseWrites: databaseWrites,
            others: [
                (readConsumer, reads), (internalConsumer, internals), (adminConsumer, admin), (queryConsumer, queries),
            ].map { consumer, workers in
                RequestWork(
                    intake: RequestIntake(
                        consumer: consumer, deadQueue: Queue.dead(.record), reader: reader, workers: workers,
                        responder: responder, metrics: metrics), workers: workers)
            })
    }

    /// The parts in the order in which the host starts them: consumers start last and stop first.
    var parts: ServiceParts {
        ServiceParts(
            services: [
                queryPool, publisher, background, work, queryConsumer, adminConsumer, internalConsumer, readConsumer,
                writeConsumer,
            ],
            clients: [
                BrokerClient("publisher", publisher), BrokerClient("writes", writeConsumer),
                BrokerClient("reads", readConsumer), BrokerClient("internal", internalConsumer),
                BrokerClient("admin", adminConsumer), BrokerClient("queries", queryConsumer),
            ], otherPools: ["queries": queryPool])
    }
}

/// The tasks between the consumers and the publisher. They finish after the consumers have finished.
struct RecordWork: Service {
    let writeIntake: WriteIntake
    let lane: WriteLane
    let lanes: Int
    let queue: WriteQueue
    let lookUp: ZoneLookUp
    let extender: SchemaExtender
    let databaseWrites: DatabaseWrites
    /// The work of all queues except the write queue.
    let others: [RequestWork]

    func run() async throws {
        await withDiscardingTaskGroup { group in
            group.addTask {
                await withDiscardingTaskGroup { group in
                    group.addTask {
                        await writeIntake.run()
                        queue.finish()
                    }
                    for _ in 0..<lanes { group.addTask { await lane.run() } }
                }
                // The lanes finish when no requests are left in them, in the zone look-ups or in the schema extensions.
                lookUp.finish()
                extender.finish()
                databaseWrites.finish()
            }
            group.addTask { await lookUp.run() }
            group.addTask { await extender.run() }
            group.addTask { await databaseWrites.run() }
            for work in others { group.addTask { try? await work.run() } }
        }
        // All requests have been answered. The service group stops its services in order, and this one must not return
        // before its turn.
        try? await gracefulShutdown()
    }
}
