internal import AMQPClient
internal import CloudKitModel
internal import CloudKitWire
internal import Logging
internal import PostgresClient
internal import RecordStorage
internal import RequestServing
internal import ServiceMessages
internal import ServiceRuntime

/// A write that no lane executes.
enum DatabaseWrite: Sendable {
    /// A write that creates or deletes zones, or accepts shares.
    case zones(OpenedRequest)
    /// A record write whose zone does not exist.
    case records(UnresolvedWrite)
}

extension DatabaseWrite: WaitingRequest {
    var delivery: AMQPDelivery {
        switch self {
        case .zones(let request): request.delivery
        case .records(let write): write.delivery
        }
    }

    var context: RequestContext {
        switch self {
        case .zones(let request): request.context
        case .records(let write): write.context
        }
    }

    /// Whether the write changes shares through their links.
    fileprivate var isOfLinks: Bool {
        guard case .zones(let request) = self else { return false }
        return request.operation == .recordsAccept || request.operation == .sharesRequestAccess
    }

    /// The first zone that the write names; the error names it if the write is refused.
    fileprivate var zone: ZoneID {
        switch self {
        case .zones(let request):
            let body = try? ModifyZonesRequest(decoding: request.delivery.body, limits: Limits())
            return body?.operations.first?.zoneID ?? .defaultZone
        case .records(let write): return write.body.zoneID ?? .defaultZone
        }
    }
}

/// Executes zone writes and changes of shares through links, and answers record writes whose zone does not exist. A few workers
/// execute the writes, but never two writes in the same database at the same time. If a lock is not granted promptly,
/// the writes in that database wait while the workers execute writes in other databases. After
/// ``LockTimeouts/request``, a write is refused or delayed (``BusyWrites``). The consumer's window limits the number of
/// waiting requests.
final class DatabaseWrites: Sendable {
    /// The number of concurrent transactions.
    static let workers = 2

    private let execute: @Sendable (DatabaseWrite) async throws -> Answer
    private let responder: Responder
    private let consumer: AMQPConsumer
    private let busy: BusyWrites
    private let live: LiveRequests
    private let retry: DatabaseRetry
    private let logger: Logger
    private let work = KeyedWork<ZoneAddress, DatabaseWrite>(workers: workers, maxItems: 1)

    /// - Parameter execute: answers a write in one attempt, or throws a `PostgresError` or the ``ServerError`` that is
    ///   to be the answer.
    init(
        responder: Responder, consumer: AMQPConsumer, busy: BusyWrites, metrics: RequestMetrics,
        retry: DatabaseRetry, logger: Logger, execute: @escaping @Sendable (DatabaseWrite) async throws -> Answer
    ) {
        self.execute = execute
        self.responder = responder
        self.consumer = consumer
        self.busy = busy
        live = LiveRequests(consumer: consumer, metrics: metrics)
        self.retry = retry
        self.logger = logger
    }

    /// Adds a write after the other writes in its database.
    func add(_ write: DatabaseWrite) {
        var context = write.context
        // An acceptance, or a write in the shared database, waits for zones of other users. It delays only writes of
        // the same user.
        if write.isOfLinks || context.scope == .shared { context.scope = .private }
        work.add([write], for: context.address(ofZone: .defaultZone))
    }

    /// Announces that no more writes will be added. ``run()`` returns when all writes have been answered.
    func finish() { work.finish() }

    /// Executes writes until ``finish()`` has been called and all writes have been answered.
    func run() async {
        await work.run { [self] _, writes in
            for write in writes where await !answer(write) { return [write] }
            return []
        }
    }

    /// - Returns: false if the write must be retried.
    private func answer(_ write: DatabaseWrite) async -> Bool {
        let context = write.context
        guard live.contains(write) else { return true }
        do {
            let answer = try await WorkOrigin.$current.withValue(WorkOrigin(context)) {
                try await execute(write)
            }
            respond(answer, to: write)
        } catch let error as ServerError {
            respond(Answer(error: error, context: context), to: write)
        } catch {
            switch retry.classify(error) {
            // Unanswered requests return to the broker when the connection closes.
            case .stop: return true
            case .retry: return refuse(write, because: error)
            case .fail:
                logger.error("a request failed unexpectedly", metadata: ["error": "\(error.logDescription)"])
                respond(Answer(error: .internalError(), context: context), to: write)
            }
        }
        return true
    }

    /// - Returns: false if it is too early to refuse the write.
    private func refuse(_ write: DatabaseWrite, because error: any Error) -> Bool {
        guard (error as? PostgresError)?.sqlState == .lockNotAvailable,
            ContinuousClock.now - write.delivery.receivedAt >= LockTimeouts.request
        else { return false }
        busy.take(write, zone: write.zone) { [self] in add(write) }
        return true
    }

    private func respond(_ answer: Answer, to write: DatabaseWrite) {
        let response = Response(write.delivery, answer, requestID: write.context.requestID)
        responder.send([response], events: answer.events, consumer: consumer)
    }
}
