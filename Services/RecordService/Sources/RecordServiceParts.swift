internal import AMQPClient
internal import Logging
internal import PostgresClient
internal import RequestServing
internal import ServiceLifecycle
internal import ServiceMessages
internal import ServiceRuntime

/// The parts of the service, put together. Constructing them starts nothing.
struct RecordServiceParts: Sendable {
    let publisher: AMQPPublisher
    let writeConsumer: AMQPConsumer
    let readConsumer: AMQPConsumer
    let queryConsumer: AMQPConsumer
    let queryPool: PostgresPool
    let work: RecordWork
    let maintenance: Maintenance
    let watch: StoreWatch
    let indexBuilds: IndexBuilds

    init(
        _ configuration: RecordServiceConfiguration, pool: PostgresPool, watch: StoreWatch,
        partitions: TimePartitions, host: ServiceHost
    ) {
        let (trouble, metrics, logger) = (host.trouble, host.requestMetrics, host.logger)
        self.watch = watch
        let limits = configuration.limits
        let amqp = configuration.host.amqp
        publisher = AMQPPublisher(configuration: amqp, topology: Topology.needed(by: .record), logger: logger)
        writeConsumer = AMQPConsumer(
            configuration: amqp, topology: Topology.needed(by: .record),
            consumptions: [AMQPConsumption(queue: Queue.recordWrites, prefetch: UInt16(configuration.prefetch))],
            maxHeldBytes: configuration.heldBytes, logger: logger)
        readConsumer = AMQPConsumer(
            configuration: amqp, topology: Topology.needed(by: .record),
            consumptions: [
                AMQPConsumption(queue: Queue.recordReads, prefetch: 200),
                AMQPConsumption(queue: Queue.recordInternal, prefetch: 50),
                AMQPConsumption(queue: Queue.recordAdmin, prefetch: 10),
                AMQPConsumption(queue: Queue.dead(.record), prefetch: 50),
            ], maxHeldBytes: configuration.heldBytes / 2, logger: logger)
        queryConsumer = AMQPConsumer(
            configuration: amqp, topology: Topology.needed(by: .record),
            consumptions: [AMQPConsumption(queue: Queue.recordQueries, prefetch: 100)],
            maxHeldBytes: configuration.heldBytes / 4, logger: logger)
        queryPool = PostgresPool(configuration: configuration.queryDatabase, logger: logger)
        indexBuilds = IndexBuilds(builder: IndexBuilder(pool: pool, logger: logger), logger: logger)
        let directory = Directory(pool: pool, createsContainers: configuration.createsContainers)
        let schema = SchemaStore(pool: pool)
        maintenance = Maintenance(
            partitions: partitions,
            reclaimer: Reclaimer(pool: pool, retention: configuration.retention, logger: logger),
            cascades: CascadeJob(pool: pool, schema: schema, logger: logger),
            purger: TombstonePurger(pool: pool, retention: configuration.retention), logger: logger)
        let store = RecordStore(
            pool: pool, directory: directory, schema: schema, keys: configuration.keys,
            markerKeys: configuration.markerKeys, present: watch.incarnation, limits: limits,
            downloads: configuration.downloads, queryPool: queryPool,
            queryTime: configuration.queryTimeout, indexes: QueryIndexes(pool: pool, reading: queryPool),
            throttle: configuration.host.throttle)
        let operations = OperationTable(store: store, trouble: trouble)
        let responder = Responder(publisher: publisher, metrics: metrics, logger: logger)
        let queue = WriteQueue(
            maxOperations: RecordServiceConfiguration.maxBatchOperations,
            maxBytes: RecordServiceConfiguration.maxBatchBytes)
        let faults = FaultSwitch(isOn: configuration.faults)
        let zoneWrites = RequestWorkers(
            count: 2, consumer: writeConsumer, responder: responder, metrics: metrics,
            handle: { await operations.answer($0) })
        let reads = RequestWorkers(
            count: configuration.readers, consumer: readConsumer, responder: responder, metrics: metrics,
            handle: {
                faults.executing($0)
                return await operations.answer($0)
            })
        let queries = RequestWorkers(
            count: configuration.queries, consumer: queryConsumer, responder: responder, metrics: metrics,
            handle: { await operations.answer($0) })
        let reader = RequestReader(limits: limits, throttle: host.throttle, producers: host.producers)
        work = RecordWork(
            writeIntake: WriteIntake(
                consumer: writeConsumer, reader: reader, directory: directory, queue: queue, zoneWrites: zoneWrites,
                responder: responder, metrics: metrics, trouble: trouble, limits: limits,
                strictReferences: configuration.strictReferences),
            readIntake: RequestIntake(
                consumer: readConsumer, deadQueue: Queue.dead(.record), reader: reader, workers: reads,
                responder: responder, metrics: metrics),
            queryIntake: RequestIntake(
                consumer: queryConsumer, deadQueue: Queue.dead(.record), reader: reader, workers: queries,
                responder: responder, metrics: metrics),
            lane: WriteLane(
                queue: queue,
                transaction: WriteTransaction(
                    pool: pool, schema: schema, tokens: store.tokens, receiptKeys: configuration.receiptKeys,
                    downloads: configuration.downloads, limits: limits, faults: faults),
                directory: directory, schema: schema, partitions: partitions, responder: responder,
                consumer: writeConsumer, zoneWrites: zoneWrites, faults: faults, trouble: trouble,
                metrics: RecordMetrics(host.metrics), requestMetrics: metrics, logger: logger),
            lanes: configuration.lanes, queue: queue, zoneWrites: zoneWrites, reads: reads, queries: queries)
    }

    /// For the host: consumers start last and stop first.
    var parts: ServiceParts {
        ServiceParts(
            services: [
                queryPool, publisher, watch, work, maintenance, indexBuilds, queryConsumer, readConsumer, writeConsumer,
            ],
            clients: [
                BrokerClient("publisher", publisher), BrokerClient("writes", writeConsumer),
                BrokerClient("reads", readConsumer), BrokerClient("queries", queryConsumer),
            ], otherPools: ["queries": queryPool])
    }
}

/// The tasks between the consumers and the publisher. They end by themselves when the consumers do.
struct RecordWork: Service {
    let writeIntake: WriteIntake
    let readIntake: RequestIntake
    let queryIntake: RequestIntake
    let lane: WriteLane
    let lanes: Int
    let queue: WriteQueue
    let zoneWrites: RequestWorkers
    let reads: RequestWorkers
    let queries: RequestWorkers

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
                // The lanes hand requests on to these.
                zoneWrites.finish()
            }
            group.addTask {
                await readIntake.run()
                reads.finish()
            }
            group.addTask {
                await queryIntake.run()
                queries.finish()
            }
            group.addTask { await queries.run() }
            group.addTask { await zoneWrites.run() }
            group.addTask { await reads.run() }
        }
        // Everything is answered; the group stops its services in order, and this one waits for its turn.
        try? await gracefulShutdown()
    }
}
