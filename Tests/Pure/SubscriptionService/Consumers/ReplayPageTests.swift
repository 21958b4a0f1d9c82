import AMQPClient
import CloudKitModel
import CloudKitWire
import ServiceMessages
import Testing

@testable import SubscriptionService
@testable import SubscriptionStorage

/// The contents of a replay's page.
struct ReplayPageTests {
    private let grant = ConsumerGrant(
        consumer: ConsumerName(unchecked: "c"), brokerUser: "u", container: "c", environment: .development,
        scope: .private, owner: "_u", zones: .named(["Notes", "Drafts"]))

    private func page(_ body: JSONValue, _ grant: ConsumerGrant? = nil) throws -> ReplayPage {
        ReplayPage(try ReplayRequest(body, now: 1_000_000), grant: grant ?? self.grant)
    }

    private func entry(
        _ offset: Int64, _ zone: String = "Notes", exchange: String = Exchange.notifications, bytes: Int = 0,
        key: String? = nil
    ) -> AMQPDelivery {
        AMQPDelivery(
            queue: Queue.notificationsLog, deliveryTag: 1, exchange: exchange,
            routingKey: key ?? grant.key(ofZone: zone),
            properties: AMQPProperties(headers: [ReplayPage.offsetHeader: .int64(offset)]),
            body: Array(#"{"n":\#(offset),"x":"\#(String(repeating: "x", count: bytes))"}"#.utf8))
    }

    private func numbers(_ page: ReplayPage) throws -> [Int64] {
        try page.notifications.compactMap { try JSONValue(parsing: $0)["n"]?.int }
    }

    @Test func onlyWhatIsGrantedAndAskedForIsIn() throws {
        var page = try page(["since": "1h", "zones": ["Drafts"]])
        var taken: [Bool] = []
        let stolen = "user.c.development._u.s"
        for entry in [
            entry(1), entry(2, "Drafts"), entry(3, "Others"), entry(4, key: stolen), entry(5, "Drafts", exchange: ""),
            entry(6, "Drafts"),
        ] { taken += [page.add(entry)] }
        #expect(taken.allSatisfy { $0 })
        #expect(try numbers(page) == [2, 6])
        #expect(page.marker == 6)
        #expect(!page.isIncomplete)
    }

    @Test func everyZoneOfTheDatabaseMeansNoOtherDatabase() throws {
        var all = grant
        all.zones = .all
        var other = grant
        other.owner = "_v"
        var page = try page(["since": "1h"], all)
        let taken = [
            page.add(entry(1, "Anything")), page.add(entry(2, key: other.key(ofZone: "Notes"))),
        ]
        #expect(taken == [true, true])
        #expect(try numbers(page) == [1])
        #expect(page.marker == 2)
    }

    @Test func aPageIsLimitedInEntriesAndBytes() throws {
        var few = try page(["since": "1h", "limit": 2])
        let taken = [few.add(entry(1)), few.add(entry(2)), few.add(entry(3))]
        #expect(taken == [true, true, false])
        #expect(try numbers(few) == [1, 2])
        #expect(few.marker == 2)
        var large = try page(["since": "1h"])
        let bytes = [large.add(entry(1, bytes: ReplayPage.maxBytes + 1)), large.add(entry(2))]
        #expect(bytes == [true, false])
        #expect(large.marker == 1)
    }

    @Test func entriesBeforeTheMarkerAreSkippedAndAGapBehindItIsReported() throws {
        var next = try page(["after": "4"])
        for offset: Int64 in [3, 4, 5, 5, 6] { _ = next.add(entry(offset)) }
        #expect(try numbers(next) == [5, 6])
        #expect(!next.isIncomplete)
        var late = try page(["after": "4"])
        #expect(late.marker == 4)
        _ = late.add(entry(9))
        #expect(late.isIncomplete)
    }

    @Test func whatIsNoJSONIsLeftOut() throws {
        var page = try page(["since": "1h"])
        var broken = entry(1)
        broken.body = [0]
        _ = page.add(broken)
        #expect(page.notifications.isEmpty)
        #expect(page.marker == 1)
    }

    @Test(arguments: [
        (#"{"since":5}"#, 5), (#"{"since":"1h"}"#, 10_000_000 - 3_600_000), (#"{"since":"90s"}"#, 10_000_000 - 90_000),
        (#"{"since":"2d"}"#, 0), (#"{"since":"first"}"#, 0),
    ])
    func aTimeIsSpelledInSeveralWays(body: String, time: Int64) throws {
        #expect(try ReplayRequest(JSONValue(parsing: body), now: 10_000_000).start == .time(time))
    }

    @Test(arguments: [
        ("{}", "since"), (#"{"since":"yesterday"}"#, "since"), (#"{"since":-1}"#, "since"),
        (#"{"since":"0h"}"#, "since"),
        (#"{"since":1,"zones":"Notes"}"#, "zones"), (#"{"since":1,"limit":0}"#, "notifications"),
        (#"{"since":1,"limit":1001}"#, "notifications"), (#"{"after":5}"#, "after"), (#"{"after":"-1"}"#, "after"),
        (#"{"after":"9223372036854775807"}"#, "after"), (#"{"after":"x"}"#, "after"),
    ])
    func whatCannotBeReadIsNamed(body: String, field: String) throws {
        let body = try JSONValue(parsing: body)
        let error = #expect(throws: ServerError.self) { try ReplayRequest(body, now: 0) }
        #expect(error?.field == field)
    }
}
