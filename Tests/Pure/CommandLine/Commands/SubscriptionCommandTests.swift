import ArgumentParser
import CloudKitWire
import OperatorMessages
import ServiceMessages
import Testing

@testable import CommandLine
@testable import CommandLineSession
@testable import FakeServices

@Suite struct SubscriptionCommandTests {
    /// Returns the subscription of a command line, whose arguments are separated by `|`.
    private func subscription(_ line: String) throws -> JSONValue {
        let command = try ZondaCommand.parseAsRoot(["subscribe"] + line.split(separator: "|").map(String.init))
        return try #require(command as? SubscribeCommand).subscription(now: 0)
    }

    @Test(
        arguments: [
            (
                "--zone|Z|--id|s|--alert|Hi|--content-available",
                #"{"subscriptionID":"s","subscriptionType":"zone","zoneID":{"zoneName":"Z"},"notificationInfo":{"alertBody":"Hi","shouldSendContentAvailable":true}}"#
            ),
            ("--zone|Z", #"{"subscriptionType":"zone","zoneID":{"zoneName":"Z"},"notificationInfo":{}}"#),
            (
                "--zone|Z|--type|T",
                #"{"subscriptionType":"zone","zoneID":{"zoneName":"Z"},"recordType":"T","notificationInfo":{}}"#
            ),
            (
                "--database-wide|--type|T",
                #"{"subscriptionType":"database","recordType":"T","notificationInfo":{}}"#
            ),
            (
                "--type|T",
                #"{"subscriptionType":"query","query":{"recordType":"T"},"zoneWide":false,"firesOn":["create","update","delete"],"notificationInfo":{}}"#
            ),
            (
                "--type|T|--zone|Z|--where|n > %d|5|--on|delete,create|--once|--field|a|--field|b|--badge",
                #"{"subscriptionType":"query","query":{"recordType":"T","filterBy":[{"comparator":"GREATER_THAN","fieldName":"n","fieldValue":{"value":5,"type":"INT64"}}]},"zoneID":{"zoneName":"Z"},"zoneWide":false,"firesOn":["delete","create"],"firesOnce":true,"notificationInfo":{"additionalFields":["a","b"],"shouldBadge":true}}"#
            ),
            (
                "--type|T|--all-zones|--title|t|--subtitle|u|--alert-key|k|--alert-field|f|--sound|s|--category|c|--collapse|d|--mutable-content|--launch-image|i",
                #"{"subscriptionType":"query","query":{"recordType":"T"},"zoneWide":true,"firesOn":["create","update","delete"],"notificationInfo":{"title":"t","subtitle":"u","alertLocalizationKey":"k","alertLocalizationArgs":["f"],"soundName":"s","category":"c","alertLaunchImage":"i","collapseIDKey":"d","shouldSendMutableContent":true}}"#
            ),
        ])
    func aCommandLineBecomesASubscriptionOfWebServicesWhichAlwaysHasANotificationInfo(line: String, json: String) throws
    {
        #expect(try subscription(line).text == json)
    }

    @Test func anInvalidPredicateIsReportedBeforeARequestIsSent() async throws {
        var command = try #require(
            try ZondaCommand.parseAsRoot(["subscribe", "--type", "T", "--where", "f =="])
                as? any AsyncParsableCommand)
        await #expect(throws: ExitCode.failure) { try await command.run() }
    }

    @Test(
        arguments: [
            ("--zone|Z|--id|s", "s  zone Z"), ("--zone|Z|--id|s|--type|T", "s  zone Z, T only"),
            ("--database-wide|--id|s", "s  database"), ("--type|T|--id|s", "s  query T in _defaultZone"),
            (
                "--type|T|--id|s|--zone|Z|--where|n > 5 AND m == 'x'|--on|create|--once",
                "s  query T in Z where n > 5 AND m == 'x' on create, once"
            ),
            ("--type|T|--id|s|--all-zones", "s  query T in all zones"),
        ])
    func aSubscriptionIsPrintedInALine(line: String, text: String) throws {
        #expect(SubscriptionLine.text(try subscription(line)) == text)
    }

    @Test func aZoneWideZoneSubscriptionIsPrintedAsADatabaseSubscription() {
        #expect(
            SubscriptionLine.text(["subscriptionID": "s", "subscriptionType": "zone", "zoneWide": true])
                == "s  database")
    }

    private let state: JSONValue = [
        "container": "c", "environment": "development", "database": "private", "user": "_u",
        "subscription": [
            "subscriptionID": "s", "subscriptionType": "zone", "zoneID": ["zoneName": "Z"],
            "notificationInfo": ["alertBody": "Hi"],
        ],
        "state": [
            "isActive": true, "delivered": 1234, "refused": 1, "lastSeq": 7, "lastZone": "Z",
            "lastAt": 1_768_500_000_000, "lastLag": 5,
            "lastError": "nobody listens", "lastErrorAt": 1_768_500_000_000,
        ],
    ]

    @Test func aStateIsPrintedLineByLineAndInARow() throws {
        let subscription = try state.decoded(as: SubscriptionDescription.self)
        #expect(
            subscription.lines == [
                "id         s", "what       zone Z", "owner      c/development/private/_u",
                #"shown      {"alertBody":"Hi"}"#, "delivered  1,234", "refused    1",
                "last       2026-01-15T18:00:00Z, change 7 of zone Z, 5 ms after it",
                "error      2026-01-15T18:00:00Z  nobody listens",
            ])
        #expect(
            subscription.cells == [
                "s", "1,234", "1", "2026-01-15T18:00:00Z", "5", "yes", "development/private/_u", "zone Z",
            ])
        let fresh = SubscriptionDescription(
            container: "c", environment: "development", database: "private", user: "_u",
            subscription: ["subscriptionID": "s"],
            state: try (["isActive": true, "delivered": 0, "refused": 0] as JSONValue).decoded(
                as: SubscriptionDescription.State.self))
        #expect(fresh.lines.suffix(3) == ["delivered  0", "refused    0", "last       never"])
        #expect(SubscriptionDescription.columns.count == fresh.cells.count)
    }

    @Test func statesAreReadPageByPageUntilThereAreEnough() async throws {
        let service = FakeAnswers(
            ["subscriptions": [state], "after": "a"], ["subscriptions": []], ["subscriptions": [state], "after": "b"])
        var count = 0
        try await service.subscriptionStates(SubscriptionsStatesRequest(container: "c")) { page in
            count += page.count
            return true
        }
        #expect(count == 1)
        try await service.subscriptionStates(SubscriptionsStatesRequest(container: "c")) { _ in false }
        #expect(
            await service.requests == [
                #"subscriptions.states {"container":"c"}"#, #"subscriptions.states {"container":"c","after":"a"}"#,
                #"subscriptions.states {"container":"c"}"#,
            ])
    }

    @Test func aListAsksOnlyForTheNamedScopeAndIsATableOrOneObjectPerLine() throws {
        let list = try #require(
            try ZondaCommand.parseAsRoot(["subscription", "list", "--all", "--database", "public"])
                as? SubscriptionList)
        #expect(
            JSONValue(encoding: list.request(container: "c")).text == #"{"container":"c","database":"public"}"#)
        let subscription = try state.decoded(as: SubscriptionDescription.self)
        #expect(list.lines([subscription]).first?.hasPrefix("ID  DELIVERED") == true)
        let json = try #require(
            try ZondaCommand.parseAsRoot(["subscription", "list", "--all", "--json"]) as? SubscriptionList)
        #expect(json.lines([subscription]) == [state.text])
    }

    @Test func aTestReportsWhereItsNotificationWentAndWhetherItWasRouted() {
        var answer = SubscriptionsTestRequest.Answer(
            id: "i", nid: "n", exchange: "zonda.notifications", routingKey: "user.k", routed: true, error: nil,
            clients: [.init(name: "00ff", clientId: "phone"), .init(name: "11", clientId: nil)])
        #expect(
            SubscriptionTest.describe(answer)
                == """
                id           i
                exchange     zonda.notifications
                routing key  user.k
                taken        yes
                client       00ff  phone
                client       11
                """)
        answer.routed = false
        answer.clients = []
        #expect(SubscriptionTest.describe(answer).hasSuffix("no: no queue is bound to the key"))
        answer.error = "nacked"
        #expect(SubscriptionTest.describe(answer).hasSuffix("no: nacked"))
    }
}
