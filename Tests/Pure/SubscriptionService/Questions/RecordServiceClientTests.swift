import AMQPClient
import CloudKitModel
import RequestServing
import ServiceMessages
import Synchronization
import TestSupport
import Testing

@testable import SubscriptionService

struct RecordServiceClientTests {
    private let zone = TestZone("Notes")

    /// The record service drops requests whose deadline has passed.
    @Test func questionsToTheRecordServiceHaveADeadline() async throws {
        let waits = Mutex<[Int64]>([])
        let call: RemoteCall = { message, wait throws(AMQPError) in
            let deadline = message.properties.headers.int64(Header.deadline) ?? 0
            waits.withLock { $0.append(deadline - SystemClock.milliseconds() - wait.milliseconds) }
            throw AMQPError(.timedOut, "nobody answers")
        }
        await #expect(throws: AMQPError.self) { try await ChangeLogClient(call: call).present() }
        let properties = AMQPProperties(
            messageID: "m1",
            headers: [
                Header.container: "com.example.tests", Header.environment: "development", Header.database: "private",
                Header.user: .string(zone.address.owner),
            ])
        let request = OpenedRequest(
            delivery: AMQPDelivery(queue: "", deliveryTag: 1, properties: properties, body: []),
            operation: .subscriptionsModify,
            context: try RequestContext(properties, operation: .subscriptionsModify))
        await #expect(throws: ServerError.self) {
            try await ZoneCheck(client: RecordServiceClient(call: call, patience: .zero)).missing(
                [ZoneID(zoneName: ZoneName(unchecked: "Notes"))], for: request)
        }
        #expect(waits.withLock { $0.count } >= 2)
        #expect(waits.withLock { $0 }.allSatisfy { (-1000...0).contains($0) })
    }
}
