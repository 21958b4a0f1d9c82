import AMQPClient
import CloudKitModel
import CloudKitWire
import Foundation
import ServiceMessages
import Synchronization
import Testing

@testable import CommandLine
@testable import CommandLineSession
@testable import FakeServices

@Suite struct WatchTests {
    private final class ShownOutputs: Sendable {
        let outputs = Mutex<[Watch.Output]>([])

        var lines: [String] {
            outputs.withLock { outputs in
                outputs.map { output in
                    switch output {
                    case .notified(let notification): "\(notification.toSeq)"
                    case .caughtUp(let page):
                        "caught up: "
                            + (page["records"]?.array ?? []).compactMap { $0["recordName"]?.string }
                            .joined(separator: ",")
                    case .missed(let hole): "missed \(hole["fromSeq"]?.int ?? 0)-\(hole["toSeq"]?.int ?? 0)"
                    case .trouble(let failure): failure.code
                    }
                }
            }
        }
    }

    /// Answers requests for feeds with prepared pages by token, and answers look-ups.
    private struct Feeds: Requester {
        var pages: [String: String] = [:]
        var lookup = #"{"zones":[]}"#

        func ask(_ request: Request, limit: Duration) async throws(RequestFailure) -> Answer {
            let body = try Answer(status: 200, body: request.body, attempts: 1).json()
            switch request.operation {
            case .changesZone:
                let token = body["zones"]?[0]?["syncToken"]?.string ?? ""
                return Answer(
                    status: 200, body: Array(#"{"zones":[\#(pages[token] ?? "{}")]}"#.utf8), attempts: 1)
            case .zonesLookup: return Answer(status: 200, body: Array(lookup.utf8), attempts: 1)
            case .subscriptionsLookup:
                return Answer(
                    status: 200,
                    body: Array(
                        #"{"subscriptions":[{"subscriptionID":"s","zoneID":{"zoneName":"Sub"}}]}"#.utf8), attempts: 1)
            default: throw .unanswered(reason: "not served")
            }
        }
    }

    private func page(_ names: [String], _ token: String, more: Bool = false) -> String {
        let records = names.map { #"{"recordName":"\#($0)","deleted":true}"# }.joined(separator: ",")
        return #"{"syncToken":"\#(token)","moreComing":\#(more),"records":[\#(records)]}"#
    }

    private func delivery(
        _ seq: Int64, client: String? = nil, generation: UInt64 = 1
    ) throws -> AMQPDelivery {
        var properties = AMQPProperties()
        if let client { properties.headers[Header.client] = .string(client) }
        return AMQPDelivery(
            queue: "q", deliveryTag: UInt64(seq), generation: generation, properties: properties,
            body: try ZoneNotification.made(zone: "Notes", from: seq, to: seq, records: []).json.encoded())
    }

    private func run(
        _ inputs: [Watch.Input], _ feeds: Feeds = Feeds(), client: String? = nil, count: Int? = nil,
        token: String? = "t0"
    ) async throws -> [String] {
        let shown = ShownOutputs()
        let watch = Watch(requester: feeds, client: client, count: count) { output in
            shown.outputs.withLock { $0.append(output) }
        }
        let (stream, continuation) = AsyncStream.makeStream(of: Watch.Input.self)
        for input in inputs { continuation.yield(input) }
        continuation.finish()
        try await watch.run(stream, WatchLedger(tokens: ["Notes": token]), generation: 1)
        return shown.lines
    }

    @Test func eachNotificationIsPrintedOnceAndAnInvalidOneIsReportedAndSkipped() async throws {
        let broken = AMQPDelivery(queue: "q", deliveryTag: 9, body: [])
        let lines = try await run([
            .delivered([try delivery(1), try delivery(2)]), .delivered([try delivery(2), broken, try delivery(3)]),
        ])
        #expect(lines == ["1", "2", "NO_ANSWER", "3"])
    }

    @Test func aClientsOwnChangesAreLeftOut() async throws {
        let lines = try await run(
            [.delivered([try delivery(1, client: "me"), try delivery(2, client: "you"), try delivery(3)])],
            client: "me")
        #expect(lines == ["2", "3"])
    }

    @Test func aWatchEndsWhenItsCountIsReachedInTheMiddleOfABatch() async throws {
        let lines = try await run([.delivered([try delivery(1), try delivery(2), try delivery(3)])], count: 2)
        #expect(lines == ["1", "2"])
    }

    @Test func afterANewConnectionTheFeedIsReadSinceTheLastNotificationPageByPage() async throws {
        let feeds = Feeds(pages: ["t2": page(["a", "b"], "t4", more: true), "t4": page(["c"], "t5")])
        let lines = try await run(
            [.delivered([try delivery(2)]), .reconnected(2), .delivered([try delivery(6, generation: 2)])], feeds)
        #expect(lines == ["2", "caught up: a,b", "caught up: c", "6"])
    }

    @Test func theFeedIsReadFirstAndOnceWhenADeliveryPrecedesTheReportOfANewConnection() async throws {
        let feeds = Feeds(pages: ["t2": page(["a", "b"], "t4")])
        let lines = try await run(
            [.delivered([try delivery(2), try delivery(5, generation: 2)]), .reconnected(2)], feeds)
        #expect(lines == ["2", "caught up: a,b", "5"])
    }

    @Test func droppedChangesAreReadFromTheFeedBeforeLaterOnesAndTheBeginningIsNoGap() async throws {
        let feeds = Feeds(pages: ["t3": page(["a", "b"], "t6")])
        let lines = try await run(
            [
                .delivered([try delivery(2), try delivery(3), try delivery(6), try delivery(3), try delivery(7)])
            ], feeds)
        #expect(lines == ["2", "3", "caught up: a,b", "6", "7"])
    }

    @Test func aCatchUpEndsWhenTheCountIsReachedAndLeavesTheRest() async throws {
        let feeds = Feeds(pages: ["t1": page(["a"], "t4", more: true), "t4": page(["b"], "t5", more: true)])
        let reconnected = try await run([.delivered([try delivery(1)]), .reconnected(2)], feeds, count: 3)
        #expect(reconnected == ["1", "caught up: a", "caught up: b"])
        let dropped = try await run([.delivered([try delivery(1), try delivery(6)])], feeds, count: 2)
        #expect(dropped == ["1", "caught up: a"])
    }

    @Test func anEmptyCatchUpPrintsNothingAndTheNextOneContinuesFromThere() async throws {
        let feeds = Feeds(pages: ["t0": page([], "t1"), "t1": page(["a"], "t2")])
        let lines = try await run([.reconnected(2), .reconnected(3)], feeds)
        #expect(lines == ["caught up: a"])
    }

    @Test func aZoneThatWasMissingAtTheStartIsReadFromItsBeginning() async throws {
        let lines = try await run([.reconnected(2)], Feeds(pages: ["": page(["a"], "t1")]), token: nil)
        #expect(lines == ["caught up: a"])
    }

    @Test func anExpiredTokenIsReportedAndTheFeedIsReadFromItsBeginning() async throws {
        let expired = #"{"serverErrorCode":"BAD_REQUEST","reason":"old","reasonCode":"change_token_expired"}"#
        let lines = try await run([.reconnected(2)], Feeds(pages: ["t0": expired, "": page(["a"], "t9")]))
        #expect(lines == ["BAD_REQUEST", "caught up: a"])
    }

    @Test func aDeletedZoneIsReportedAndStillAwaitedAndAnotherRefusalEndsTheWatch() async throws {
        let gone = #"{"serverErrorCode":"ZONE_NOT_FOUND","reason":"gone"}"#
        let lines = try await run(
            [.reconnected(2), .delivered([try delivery(1, generation: 2)])], Feeds(pages: ["t0": gone]))
        #expect(lines == ["ZONE_NOT_FOUND", "1"])
        let denied = #"{"serverErrorCode":"ACCESS_DENIED","reason":"no"}"#
        await #expect(throws: RequestFailure.self) {
            try await run([.reconnected(2)], Feeds(pages: ["t0": denied]))
        }
    }

    @Test func withoutFeedsAGapIsReportedAsMissedAndOnlyPrintedChangesAreAcknowledged() async throws {
        let shown = ShownOutputs()
        let done = Mutex<[UInt64]>([])
        var watch = Watch(requester: NoFeeds(), count: 2) { output in shown.outputs.withLock { $0.append(output) } }
        watch.acknowledge = { deliveries in done.withLock { $0 += deliveries.map(\.deliveryTag) } }
        let (stream, continuation) = AsyncStream.makeStream(of: Watch.Input.self)
        continuation.yield(.delivered([try delivery(7)]))
        continuation.yield(.reconnected(2))
        continuation.yield(.delivered([try delivery(7, generation: 2), try delivery(10), try delivery(11)]))
        continuation.finish()
        try await watch.run(stream, WatchLedger(tokens: [:]), generation: 1)
        #expect(shown.lines == ["7", "missed 8-9", "10"])
        #expect(done.withLock { $0 } == [7, 7, 10])
    }

    @Test func aBeginningIsADurationAgoATimeOrTheFirstEntry() throws {
        #expect(try WatchStart.parse("first") == .first)
        #expect(try WatchStart.parse("2026-01-15T18:00:00Z") == .time(Date(timeIntervalSince1970: 1_768_500_000)))
        #expect(try WatchStart.parse("1768500000000") == .time(Date(timeIntervalSince1970: 1_768_500_000)))
        #expect(try WatchStart.parse("1768500000000").offset == .timestamp(1_768_499_995))
        guard case .time(let date) = try WatchStart.parse("1h") else { return #expect(Bool(false)) }
        #expect(abs(date.timeIntervalSinceNow + 3600) < 60)
        for text in ["", "yesterday", "17", "-1h"] {
            #expect(throws: (any Error).self, "\(text)") { try WatchStart.parse(text) }
        }
    }

    @Test func theLogsReaderSkipsUnwantedAndEarlierEntries() {
        let reader = LogReader(keys: ["zone.a"])
        func isWanted(_ offset: Int64, _ key: String = "zone.a", exchange: String = "zonda.notifications") -> Bool {
            reader.isWanted(
                AMQPDelivery(
                    queue: "notifications.log", deliveryTag: 1, exchange: exchange, routingKey: key,
                    properties: AMQPProperties(headers: ["x-stream-offset": .int64(offset)]), body: []))
        }
        #expect(isWanted(3) && !isWanted(4, "zone.b") && !isWanted(5, exchange: "") && isWanted(6))
        #expect(!isWanted(3) && !isWanted(6) && isWanted(7))
    }

    @Test func currentTokensAreReadAlsoForZonesOfSavedSubscriptionsAndAMissingZoneMayAppear() async throws {
        let shown = ShownOutputs()
        let feeds = Feeds(
            lookup: #"""
                {"zones":[{"zoneID":{"zoneName":"Notes"},"syncToken":"t7"},
                {"zoneID":{"zoneName":"Soon"},"serverErrorCode":"ZONE_NOT_FOUND","reason":"none"},
                {"zoneID":{"zoneName":"Sub"},"syncToken":"t8"}]}
                """#)
        let watch = Watch(requester: feeds) { output in shown.outputs.withLock { $0.append(output) } }
        let ledger = try await watch.ledger(zones: ["Soon", "Notes"], subscriptions: ["s"])
        #expect(ledger.zones == ["Notes", "Soon", "Sub"])
        #expect(ledger.token(of: "Notes") == "t7")
        #expect(ledger.token(of: "Soon") == nil)
        #expect(ledger.token(of: "Sub") == "t8")
        #expect(shown.lines == ["ZONE_NOT_FOUND"])
    }

    @Test func aPrivateZoneWithoutAUserAndSharedZonesCannotBeWatched() throws {
        var scope = RequestScope(container: "c", environment: .development, database: .private, user: nil)
        #expect(throws: (any Error).self) { try WatchedDatabase(scope) }
        scope.database = .shared
        scope.user = "_u"
        #expect(throws: (any Error).self) { try WatchedDatabase(scope) }
        scope.database = .public
        #expect(try WatchedDatabase(scope).key(ofZone: "Z") == "zone.c.development.public._public.Z")
        scope.database = .private
        #expect(try WatchedDatabase(scope).key(ofZone: "Z") == "zone.c.development.private._u.Z")
        #expect(try WatchedDatabase(scope).key(ofSubscription: "s") == "user.c.development._u.s")
    }
}
