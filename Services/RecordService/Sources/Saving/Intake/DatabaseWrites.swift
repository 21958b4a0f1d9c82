internal import AMQPClient
internal import CloudKitModel
internal import CloudKitWire
internal import Logging
internal import PostgresClient
internal import RecordStorage
internal import RequestServing
internal import ServiceMessages
internal import ServiceRuntime

/// Answers writes of zones, and record writes whose zone does not exist: for one database at a time, by a few workers.
/// A lock is waited for briefly; then the database's writes rest and others have their turn. After
/// ``LockTimeouts/request`` they are refused or delayed (``BusyWrites``). The number of waiting requests is bounded by
/// the consumer's window.
final class DatabaseWrites: Sendable {
    /// The number of concurrent transactions.
    static let workers = 2

    private let execute: @Sendable (OpenedRequest) async throws -> Answer
    private let responder: Responder
    private let consumer: AMQPConsumer
    private let busy: BusyWrites
    private let live: LiveRequests
    private let retry: DatabaseRetry
    private let logger: Logger
    private let work = KeyedWork<ZoneAddress, OpenedRequest>(workers: workers, maxItems: 1)

    /// - Parameter execute: answers a request in one attempt, or throws the ``ServerError`` to answer with or a
    ///   `PostgresError`.
    init(
        responder: Responder, consumer: AMQPConsumer, busy: BusyWrites, metrics: RequestMetrics,
        retry: DatabaseRetry, logger: Logger, execute: @escaping @Sendable (OpenedRequest) async throws -> Answer
    ) {
        self.execute = execute
        self.responder = responder
        self.consumer = consumer
        self.busy = busy
        live = LiveRequests(consumer: consumer, metrics: metrics)
        self.retry = retry
        self.logger = logger
    }

    /// Adds a request behind the others of its database.
    func add(_ request: OpenedRequest) { work.add([request], for: request.context.address(ofZone: .defaultZone)) }

    /// Announces that no requests will be added; ``run()`` ends when all are answered.
    func finish() { work.finish() }

    /// Runs until everything is answered after ``finish()``.
    func run() async {
        await work.run { [self] _, requests in
            for request in requests where await !answer(request) { return [request] }
            return []
        }
    }

    /// - Returns: false when the request has to be tried again.
    private func answer(_ request: OpenedRequest) async -> Bool {
        let context = request.context
        guard live.contains(request) else { return true }
        do {
            let answer = try await WorkOrigin.$current.withValue(WorkOrigin(context)) {
                try await execute(request)
            }
            respond(answer, to: request)
        } catch let error as ServerError {
            respond(Answer(error: error, context: context), to: request)
        } catch {
            switch retry.classify(error) {
            // Unanswered requests return to the broker with the connection.
            case .stop: return true
            case .retry: return refuse(request, because: error)
            case .fail:
                logger.error("a request failed unexpectedly", metadata: ["error": "\(error.logDescription)"])
                respond(Answer(error: .internalError(), context: context), to: request)
            }
        }
        return true
    }

    /// - Returns: false when it is too early to refuse.
    private func refuse(_ request: OpenedRequest, because error: any Error) -> Bool {
        guard (error as? PostgresError)?.sqlState == .lockNotAvailable,
            ContinuousClock.now - request.delivery.receivedAt >= LockTimeouts.request
        else { return false }
        busy.take(request, zone: Self.zone(of: request)) { [self] in add(request) }
        return true
    }

    /// Returns the first zone that a request names, for its refusal.
    private static func zone(of request: OpenedRequest) -> ZoneID {
        let limits = Limits()
        if request.operation == .zonesModify {
            let body = try? ModifyZonesRequest(decoding: request.delivery.body, limits: limits)
            return body?.operations.first?.zoneID ?? .defaultZone
        }
        return (try? ModifyRecordsRequest(decoding: request.delivery.body, limits: limits))?.zoneID ?? .defaultZone
    }

    private func respond(_ answer: Answer, to request: OpenedRequest) {
        let response = Response(request.delivery, answer, requestID: request.context.requestID)
        responder.send([response], events: answer.events, consumer: consumer)
    }
}
