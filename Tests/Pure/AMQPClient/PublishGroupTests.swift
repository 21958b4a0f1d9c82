import Synchronization
import Testing

@testable import AMQPClient

@Suite struct PublishGroupTests {
    /// Collects the results that a group reports.
    private final class Report: Sendable {
        let results = Mutex<[Result<Void, AMQPError>]?>(nil)

        var codes: [AMQPError.Code?]? {
            results.withLock { results in
                results?.map { result in
                    if case .failure(let error) = result { error.code } else { nil }
                }
            }
        }
    }

    private func group(_ keys: [String], _ report: Report) -> PublishGroup {
        PublishGroup(
            keys.map { AMQPMessage(exchange: "", routingKey: $0, body: []) },
            configuration: AMQPConfiguration(host: "h", port: 1, virtualHost: "/", user: "u", password: "p")
        ) {
            results in
            report.results.withLock { $0 = results }
        }
    }

    @Test func reportsOnceAllAreAnsweredInTheOrderOfTheMessages() {
        let report = Report()
        let group = group(["a", "b", "c"], report)
        group.settle(2, AMQPError(.nacked, ""))
        group.settle(0, nil)
        #expect(report.codes == nil)
        group.settle(1, nil)
        #expect(report.codes == [nil, nil, .nacked])
    }

    @Test func messageThatCannotBeSentFailsAlone() {
        let report = Report()
        let group = group(["a", String(repeating: "x", count: 256), "c"], report)
        #expect(group.sendableIndices == [0, 2])
        #expect(!group.completeIfEmpty())
        group.settle(0, nil)
        group.settle(2, nil)
        #expect(report.codes == [nil, .refused, nil])
    }

    @Test func groupWithNothingToSendReportsAtOnce() {
        let report = Report()
        #expect(group([], report).completeIfEmpty())
        #expect(report.codes == [])
    }

    @Test func confirmOfAReturnedMessageIsItsFailure() {
        let report = Report()
        let group = group(["a"], report)
        group.markReturned(0, AMQPError(.returned, ""))
        group.settle(0, nil)
        #expect(report.codes == [.returned])
    }

    @Test func returnedMessageThatIsSentAgainStartsAfresh() {
        let report = Report()
        let group = group(["a"], report)
        group.markReturned(0, AMQPError(.returned, ""))
        group.forgetReturned(0)
        group.settle(0, nil)
        #expect(report.codes == [nil])
    }
}
