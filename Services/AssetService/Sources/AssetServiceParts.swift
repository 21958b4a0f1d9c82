internal import AMQPClient
internal import AssetStorage
internal import BlobStorage
internal import CloudKitModel
internal import HTTPServing
internal import Logging
internal import PostgresClient
internal import RequestServing
internal import ServiceLifecycle
internal import ServiceMessages
internal import ServiceRuntime

/// Creates and connects the parts of the service, without starting them.
struct AssetServiceParts: Sendable {
    /// The number of requests that are answered concurrently: the puts that the broker delivers at the same time, plus
    /// a few other requests.
    static let workers = Int(putPrefetch) + 4
    private static let putPrefetch: UInt16 = 8

    let store: any BlobStore
    let ownership: StoreOwnership
    let receipts: AssetReceipts
    let operations: AssetOperations
    let publisher: AMQPPublisher
    let rpc: AMQPRPCClient
    let requestConsumer: AMQPConsumer
    let deletionConsumer: AMQPConsumer
    let requests: RequestWork
    let deletion: DeletionWork
    let sweeper: Sweeper
    let inventory: BlobInventory
    /// The job that encrypts stored blobs; nil if encryption is disabled.
    let reencryption: Reencryption?
    let scrubber: Scrubber
    let background: PeriodicJobs
    var http: AssetHTTPServer

    init(
        _ configuration: AssetServiceConfiguration, store: any BlobStore, pool: PostgresPool, host: ServiceHost
    ) {
        let (retry, logger) = (host.retry, host.logger)
        let (metrics, requestMetrics) = (AssetMetrics(host.metrics), host.requestMetrics)
        let amqp = configuration.host.amqp
        var topology = Topology.wait(for: Queue.assetJobs, seconds: Int(configuration.grace.components.seconds))
        let needed = Topology.needed(by: .asset)
        (topology.expectedExchanges, topology.expectedQueues) = (needed.expectedExchanges, needed.expectedQueues)
        let table = BlobTable(pool: pool)
        let store = EncryptedBlobStore(over: store, keys: configuration.encryptionKeys)
        let quotas = Quotas(usual: configuration.quota, table: table)
        self.store = store
        publisher = AMQPPublisher(configuration: amqp, topology: topology, logger: logger)
        rpc = AMQPRPCClient(configuration: amqp, logger: logger)
        let uses = BlobUses(client: rpc, logger: logger)
        requestConsumer = AMQPConsumer(
            configuration: amqp, topology: topology,
            consumptions: [
                AMQPConsumption(queue: Queue.assetRequests, prefetch: 100),
                AMQPConsumption(queue: Queue.assetPuts, prefetch: Self.putPrefetch),
                AMQPConsumption(queue: Queue.assetAdmin, prefetch: 10),
                AMQPConsumption(queue: Queue.dead(.asset), prefetch: 50),
            ], maxHeldBytes: 16 << 20, logger: logger)
        deletionConsumer = AMQPConsumer(
            configuration: amqp, topology: topology,
            consumptions: [
                AMQPConsumption(queue: Queue.assetChanges, prefetch: 50),
                AMQPConsumption(queue: Queue.assetJobs, prefetch: 50),
            ], maxHeldBytes: 16 << 20, logger: logger)

        let records = RecordServiceClient(client: rpc)
        let rights = ShareRights(service: records)
        let scopes = AssetScopes(rights: rights)
        let uploader = AssetUploader(
            receiptLife: configuration.receiptLife, maxAssetBytes: configuration.maxAssetBytes,
            keys: configuration.receiptKeys, store: store, table: table, quotas: quotas,
            rights: rights, retry: retry, metrics: metrics, logger: logger)
        let receipts = AssetReceipts(
            life: configuration.receiptLife, keys: configuration.receiptKeys, store: store, table: table)
        self.receipts = receipts
        operations = AssetOperations(
            scopes: scopes,
            upload: AssetsUploadOperation(
                publicURL: configuration.publicURL, life: configuration.uploadLife, keys: configuration.uploadKeys,
                maxTokens: configuration.limits.maxUploadTokens, maxAssetBytes: configuration.maxAssetBytes,
                contents: OwnContents(
                    keys: configuration.receiptKeys, table: table, receipts: receipts,
                    uses: BlobUses(
                        client: rpc, timeout: .seconds(2), consequence: "contents are transferred again", logger: logger
                    ))),
            rereference: AssetsRereferenceOperation(
                records: RecordLookup(service: records), receipts: receipts, scopes: scopes),
            put: AssetsPutOperation(uploader: uploader, scopes: scopes),
            receipt: AssetsReceiptOperation(receipts: receipts),
            admin: AssetsAdminOperation(table: table, store: store), quotas: quotas,
            usage: AssetsUsageOperation(usual: configuration.quota, table: table),
            condition: AssetsConditionOperation(table: table),
            retry: retry, logger: logger)
        let responder = Responder(publisher: publisher, metrics: requestMetrics, logger: logger)
        let workers = RequestWorkers(
            count: Self.workers, consumer: requestConsumer, responder: responder, metrics: requestMetrics,
            handle: { [operations] in await operations.answer($0) })
        var limits = configuration.limits
        limits.maxBodyBytes = AssetsPutOperation.maxBytes
        requests = RequestWork(
            intake: RequestIntake(
                consumer: requestConsumer, deadQueue: Queue.dead(.asset),
                reader: RequestReader(limits: limits, throttle: host.throttle, producers: host.producers),
                workers: workers, responder: responder, metrics: requestMetrics),
            workers: workers)

        let marker = UnusedBlobMarker(
            grace: configuration.grace, table: table, uses: uses,
            publisher: publisher, metrics: metrics)
        let ownership = StoreOwnership(
            table: StoreTable(pool: pool), store: store, variable: configuration.store.variable)
        self.ownership = ownership
        let deleter = Deleter(ownership: ownership, table: table, store: store, metrics: metrics, logger: logger)
        let holders = HolderReconciler(sweepInterval: configuration.sweepInterval, table: table, uses: uses)
        let verifier = BlobVerifier(
            ownership: ownership, store: store, table: table, metrics: metrics,
            logger: logger)
        deletion = DeletionWork(
            consumer: deletionConsumer, marker: marker, deleter: deleter, holders: holders, retry: retry,
            logger: logger)
        sweeper = Sweeper(
            interval: configuration.sweepInterval, resumeLife: configuration.resumeLife,
            roundLimit: configuration.sweepLimit, ownership: ownership, pool: pool, table: table,
            store: store,
            marker: marker, deleter: deleter, holders: holders,
            reconciler: Reconciler(
                grace: configuration.grace, maxStrayPercent: configuration.maxStrayPercent, store: store, table: table,
                uses: uses,
                verifier: verifier, metrics: metrics, logger: logger),
            metrics: metrics, logger: logger)
        scrubber = Scrubber(
            rate: configuration.scrubRate, interval: configuration.scrubInterval,
            maxAssetBytes: configuration.maxAssetBytes, table: table, verifier: verifier)
        inventory = BlobInventory(
            sweepInterval: configuration.sweepInterval, table: table, store: store, metrics: metrics)
        reencryption = configuration.encryptionKeys.map {
            Reencryption(
                interval: configuration.sweepInterval, bytesPerSecond: configuration.encryptionRate, keys: $0,
                pool: pool, ownership: ownership, table: table, store: store, metrics: metrics, logger: logger)
        }
        background = PeriodicJobs(
            [sweeper.job, inventory.job, scrubber.job] + (reencryption.map { [$0.job] } ?? []), logger: logger)
        http = AssetHTTPServer(
            host: configuration.httpHost, port: configuration.httpPort,
            responder: AssetResponder(
                uploads: UploadRoute(
                    uploader: uploader, keys: configuration.uploadKeys,
                    resumable: store.partials.map { partials in
                        ResumableUploads(
                            uploader: uploader, receipts: receipts, partials: partials,
                            publicURL: configuration.publicURL, life: configuration.resumeLife,
                            maxWaiting: configuration.maxResumable,
                            maxWaitingPerDatabase: configuration.maxResumablePerUser)
                    }),
                downloads: DownloadRoute(
                    keys: configuration.downloadKeys, store: store, table: table, retry: retry, metrics: metrics),
                metrics: metrics, logger: logger),
            connections: configuration.connections.policy(host.metrics), logger: logger)
    }

    /// The parts for the host. Parts that accept work start last and stop first. The consumers stop before the HTTP
    /// server, because uploads over HTTP can continue until the process is killed.
    var parts: ServiceParts {
        ServiceParts(
            services: [publisher, rpc, requests, deletion, background, http, deletionConsumer, requestConsumer],
            clients: [
                BrokerClient("publisher", publisher), BrokerClient("rpc", rpc),
                BrokerClient("requests", requestConsumer), BrokerClient("deletions", deletionConsumer),
            ],
            otherReasonsNotReady: {
                do {
                    try await store.check()
                } catch {
                    return ["cannot write to the blob store: \(error)"]
                }
                do {
                    try await ownership.confirm()
                } catch let error as StoreOwnership.NotOwned {
                    return ["\(error)"]
                } catch {
                    // Other failures are reported by other checks.
                }
                return []
            })
    }
}
