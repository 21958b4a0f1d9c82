import AMQPClient
import CloudKitModel
import CloudKitWire
import Foundation
import PostgresClient
import ServiceMessages
import TestSupport
import Testing

@testable import SubscriptionService
@testable import SubscriptionStorage

/// Query subscriptions as clients save and list them, with a real database.
@Suite(
    .enabled(if: TestEnvironment.current != nil, Comment(rawValue: TestEnvironment.absence)), .timeLimit(.minutes(2)))
struct QuerySubscriptionRequestTests: SubscriptionSuite {
    let zone = TestZone("Notes")

    @Test func queriesAreListedAsTheyWereSaved() async throws {
        let save = JSONValue.watch(
            "a", filter: ["folder": "inbox"], on: ["update", "create"], more: ["zoneWide": false, "firesOnce": true])
        try await with([save]) { _, service in
            let list = try await service.ask(.subscriptionsList, as: zone)
            let listed = try #require(list["subscriptions"]?[0])
            #expect(listed["subscriptionType"] == "query")
            #expect(listed["query"]?["recordType"] == "Note")
            #expect(listed["query"]?["filterBy"]?[0]?["fieldValue"]?["value"] == "inbox")
            #expect(listed["firesOn"] == ["create", "update"])
            #expect(listed["firesOnce"] == true)
            #expect(listed["zoneWide"] == false)
            #expect(listed["zoneID"]?["zoneName"] == "_defaultZone")
            let refused = try await service.ask(
                .subscriptionsModify, as: zone,
                ["operations": [.watch("s", type: "Secret", filter: [:], on: ["create"]), save]])
            #expect(refused["subscriptions"]?[0]?["reasonCode"] == "record_type_not_found")
            #expect(refused["subscriptions"]?[1]?["serverErrorCode"] == nil)
        }
    }
}
