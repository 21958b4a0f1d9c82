import AMQPClient
import CloudKitModel
import ServiceMessages
import Testing

@testable import RecordService
@testable import RecordStorage

/// The requests of a transaction that an event covers.
struct ChangeCollectorTests {
    private static let first = TraceParent("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
    private static let second = TraceParent("00-1af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")

    @Test func anEventHasTheTraceOfTheFirstOfItsRequestsThatHasOne() throws {
        let requests: [(client: String, trace: TraceParent?)] = [
            ("one", nil), ("one", Self.first), ("one", Self.second), ("two", Self.second), ("three", nil),
        ]
        var log = ChangeCollector()
        for (index, sent) in requests.enumerated() {
            let request = try BatchPlannerTests.request(BatchPlannerTests.operation("create"))
            var context = request.context
            (context.client, context.trace) = (sent.client, sent.trace)
            log.append(
                [ChangedRecord(name: "a", type: "Note", seq: Int64(index + 1), kind: .updated)],
                of: WriteRequest(
                    delivery: request.delivery, context: context, body: request.body, bodyHash: [], zone: request.zone))
        }
        let tokens = ZoneTokenIssuer(keys: try TokenTests.signing(TokenTests.keys), incarnation: StoreIncarnation(1))
        let events = log.events(log.rows(at: 1), xid: 1, tokens: tokens)
        #expect(events.map(\.client) == ["one", "two", "three"])
        #expect(events.map(\.trace) == [Self.first, Self.second, nil])
        #expect(
            events.map { $0.message().properties.headers.string(Header.trace) }
                == [Self.first, Self.second, nil].map { $0?.description })
    }
}
