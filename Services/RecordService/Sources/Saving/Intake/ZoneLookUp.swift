internal import AMQPClient
internal import CloudKitModel
internal import CloudKitWire
internal import Logging
internal import PostgresClient
internal import RecordStorage
internal import RequestServing
internal import ServiceMessages
internal import Synchronization

/// A record write whose zone has not been looked up yet.
struct UnresolvedWrite: Sendable {
    let delivery: AMQPDelivery
    let context: RequestContext
    let body: ModifyRecordsRequest
    /// See ``WriteRequest/bodyHash``.
    let bodyHash: [UInt8]
    /// See ``WriteRequest/checksOwners``.
    var checksOwners = false

    /// Creates a write as it was received.
    init(
        delivery: AMQPDelivery, context: RequestContext, body: ModifyRecordsRequest, bodyHash: [UInt8],
        checksOwners: Bool
    ) {
        (self.delivery, self.context, self.body) = (delivery, context, body)
        (self.bodyHash, self.checksOwners) = (bodyHash, checksOwners)
    }

    /// Creates a write from a request whose zone turned out to be deleted.
    init(_ request: WriteRequest) {
        self.init(
            delivery: request.delivery, context: request.context, body: request.body, bodyHash: request.bodyHash,
            checksOwners: request.checksOwners)
    }

    /// The name of the zone.
    var zone: ZoneName { (body.zoneID ?? .defaultZone).zoneName }
    /// See ``WriteRequest/isShared``.
    var isShared: Bool { context.scope == .shared }
    /// The full name of the zone.
    var address: ZoneAddress { context.address(ofZone: zone) }

    /// Returns the write with its zone.
    func resolved(in zone: ZoneEntry) -> WriteRequest {
        var write = WriteRequest(
            delivery: delivery, context: context, body: body, bodyHash: bodyHash, zone: zone)
        write.checksOwners = checksOwners
        return write
    }
}

/// Looks up the zones of writes if the directory has not cached those zones, and of all writes in the shared database,
/// whose users might have no access (``WriteResolver``). Runs concurrently with the intake. Each statement looks up
/// zones in one container. If the statement fails, the writes in that container wait without delaying others. Writes in
/// the shared database delay only each other. The consumer's window limits the number of waiting writes.
final class ZoneLookUp: Sendable {
    /// The maximum number of zones that one statement looks up.
    private static let maxZones = 500
    /// The number of concurrent statements.
    static let workers = 2

    /// The writes that are looked up together.
    private struct Line: Hashable {
        let container: String
        let isShared: Bool
    }

    private let directory: ZoneDirectory
    private let resolver: WriteResolver
    private let queue: WriteQueue
    private let databaseWrites: DatabaseWrites
    private let responder: Responder
    private let consumer: AMQPConsumer
    private let live: LiveRequests
    private let retry: DatabaseRetry
    private let logger: Logger
    private let work = KeyedWork<Line, UnresolvedWrite>(workers: workers, maxItems: maxZones)
    /// The number of writes in each zone that are waiting for the zone's look-up. Later writes in the zone wait behind
    /// them. Writes in the shared database are not counted, because all of them are looked up in order.
    private let pending = Mutex<[ZoneAddress: Int]>([:])

    init(
        pool: PostgresPool, directory: ZoneDirectory, queue: WriteQueue, databaseWrites: DatabaseWrites,
        responder: Responder, consumer: AMQPConsumer, metrics: RequestMetrics, retry: DatabaseRetry, logger: Logger
    ) {
        self.directory = directory
        resolver = WriteResolver(pool: pool, directory: directory)
        self.queue = queue
        self.databaseWrites = databaseWrites
        self.responder = responder
        self.consumer = consumer
        live = LiveRequests(consumer: consumer, metrics: metrics)
        self.retry = retry
        self.logger = logger
    }

    /// Returns the zone of a write if the directory has cached it and no earlier write in the zone is waiting for a
    /// look-up; nil for a write in the shared database.
    func known(_ write: UnresolvedWrite) -> ZoneEntry? {
        guard !write.isShared else { return nil }
        let address = write.address
        return pending.withLock { $0[address] == nil } ? directory.remembered(address) : nil
    }

    /// Looks up the zones of `writes`, which are passed to the lanes once their zones have been found.
    func add(_ writes: [UnresolvedWrite]) {
        guard !writes.isEmpty else { return }
        queue.expect(writes.count)
        pending.withLock { pending in
            for write in writes where !write.isShared { pending[write.address, default: 0] += 1 }
        }
        let lines = Dictionary(grouping: writes) { Line(container: $0.context.container, isShared: $0.isShared) }
        for (line, writes) in lines { work.add(writes, for: line) }
    }

    /// Announces that no more writes will be added.
    func finish() { work.finish() }

    /// Looks up zones until ``finish()`` has been called and no writes are left.
    func run() async {
        await work.run { [self] line, writes in await find(writes, in: line.container) }
    }

    private func find(_ writes: [UnresolvedWrite], in container: String) async -> [UnresolvedWrite] {
        let (writes, dropped) = live.filter(writes)
        if !dropped.isEmpty { settle(dropped, resolved: []) }
        guard !writes.isEmpty else { return [] }
        do {
            let requests = try await resolver.resolve(writes, in: container)
            var resolved: [WriteRequest] = []
            for (write, request) in zip(writes, requests) {
                if let request {
                    resolved.append(request)
                } else {
                    databaseWrites.add(.records(write))
                }
            }
            settle(writes, resolved: resolved)
        } catch let error as ServerError {
            refuse(writes, error)
        } catch {
            switch retry.classify(error) {
            case .retry: return writes
            // Unanswered requests return to the broker when the connection closes.
            case .stop: settle(writes, resolved: [])
            case .fail where (error as? PostgresError)?.isOfDeletedContainer == true:
                directory.forget(container: container)
                return writes
            case .fail:
                logger.error("zones could not be looked up", metadata: ["error": "\(error.logDescription)"])
                refuse(writes, .internalError())
            }
        }
        return []
    }

    private func refuse(_ writes: [UnresolvedWrite], _ error: ServerError) {
        responder.send(
            writes.map {
                Response($0.delivery, Answer(error: error, context: $0.context), requestID: $0.context.requestID)
            }, consumer: consumer)
        settle(writes, resolved: [])
    }

    /// Ends the look-up of `writes`. The resolved writes are added to the lanes' queue first, so that no later write in
    /// their zones overtakes them.
    private func settle(_ writes: [UnresolvedWrite], resolved: [WriteRequest]) {
        queue.add(resolved, expected: writes.count)
        pending.withLock { pending in
            for write in writes where !write.isShared {
                let count = pending[write.address, default: 1] - 1
                pending[write.address] = count > 0 ? count : nil
            }
        }
    }
}
