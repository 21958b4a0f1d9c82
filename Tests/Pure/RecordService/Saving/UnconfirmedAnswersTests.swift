import AMQPClient
import CloudKitModel
import Logging
import RequestServing
import ServiceMessages
import ServiceRuntime
import Synchronization
import Testing

@testable import RecordService

@Suite(.timeLimit(.minutes(1))) struct UnconfirmedAnswersTests {
    private static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    private final class Flag: Sendable {
        private let value = Atomic(false)
        var isSet: Bool { value.load(ordering: .sequentiallyConsistent) }
        func set() { value.store(true, ordering: .sequentiallyConsistent) }
    }

    /// Returns a request that has returned to its queue twice and causes no message, because its sender only reads
    /// notifications.
    private static func candidate() throws -> WriteRequest {
        let request = try BatchPlannerTests.request(BatchPlannerTests.operation("create"))
        var delivery = request.delivery
        delivery.exchange = Exchange.consumers
        delivery.properties.headers["x-delivery-count"] = .int64(2)
        return WriteRequest(
            delivery: delivery, context: request.context, body: request.body, bodyHash: [], zone: request.zone)
    }

    /// An acknowledgement that is only queued is lost if the next candidate crashes the process. A consumer that is not
    /// running yet sends no acknowledgements.
    @Test func aPoisonCandidateIsSettledOnlyWhenItsAcknowledgementHasLeftTheQueue() async throws {
        let configuration = try AMQPConfiguration(url: "amqp://127.0.0.1:1")
        let consumer = AMQPConsumer(
            configuration: configuration, consumptions: [AMQPConsumption(queue: "q", prefetch: 1)], logger: Self.logger)
        let responder = Responder(
            publisher: AMQPPublisher(configuration: configuration, logger: Self.logger),
            metrics: RequestMetrics(ServiceMetrics()), logger: Self.logger)
        let write = AnsweredWrite(try Self.candidate(), .refused(.missingKey("operations")))
        try #require(write.request.isPoisonCandidate)
        let isSettled = Flag()
        let sending = Task {
            await UnconfirmedAnswers(downloads: nil, maxAnswerBytes: 1 << 20)
                .send([write], events: [], with: responder, consumer: consumer)
            isSettled.set()
        }
        for _ in 0..<1_000 { await Task.yield() }
        #expect(!isSettled.isSet)
        consumer.stop()
        try await consumer.run()
        await sending.value
    }
}
