import AMQPClient
import CloudKitModel
import CloudKitWire
import ServiceMessages
import Testing

@testable import SubscriptionService
@testable import SubscriptionStorage

/// The subscription dictionaries that are accepted, and those that are refused.
struct SubscriptionReaderTests {
    private func reader(_ database: String = "private") throws -> SubscriptionReader {
        SubscriptionReader(
            context: try RequestContext(
                AMQPProperties(
                    messageID: "m",
                    headers: [
                        Header.container: "com.example.tests", Header.environment: "development",
                        Header.database: .string(database), Header.user: .string(Self.user),
                    ]), operation: .subscriptionsModify))
    }

    private static let user = "_0123456789abcdef0123456789abcdef"
    private static let query: JSONValue = ["recordType": "Note", "sortBy": [["fieldName": "n"]]]

    @Test(
        arguments: [
            ([:], "subscriptionType", "missing_key"),
            (["subscriptionType": "everything"], "subscriptionType", "subscription_type_unknown"),
            (["subscriptionType": "zone"], "zoneID", "missing_key"),
            (
                ["subscriptionType": "zone", "zoneID": ["zoneName": "_defaultZone"]], "zoneID",
                "default_zone_not_watchable"
            ),
            (["subscriptionType": "database", "recordType": "9"], "recordType", "record_type_invalid"),
            (["subscriptionType": "query"], "query", "missing_key"),
            (["subscriptionType": "query", "query": "Note"], "query", "wrong_kind"),
            (["subscriptionType": "query", "query": [:]], "recordType", "missing_key"),
            (["subscriptionType": "query", "query": query], "firesOn", "fires_on_nothing"),
            (["subscriptionType": "query", "query": query, "firesOn": []], "firesOn", "fires_on_nothing"),
            (["subscriptionType": "query", "query": query, "firesOn": ["enter"]], "firesOn", "fires_on_unknown"),
            (["subscriptionType": "query", "query": query, "firesOn": "create"], "firesOn", "wrong_kind"),
            (
                ["subscriptionType": "query", "query": query, "firesOn": ["create"], "firesOnce": 1], "firesOnce",
                "wrong_kind"
            ),
            (
                [
                    "subscriptionType": "query", "query": query, "firesOn": ["create"],
                    "notificationInfo": ["additionalFields": ["a", "b", "c", "d"]],
                ], "additionalFields", "too_many_desired_keys"
            ),
            (
                [
                    "subscriptionType": "query", "query": query, "firesOn": ["create"],
                    "notificationInfo": ["titleLocalizationArgs": .array(Array(repeating: "a", count: 17))],
                ], "titleLocalizationArgs", "limit_exceeded"
            ),
            (
                [
                    "subscriptionType": "query", "query": query, "firesOn": ["create"], "zoneID": ["zoneName": ""],
                ],
                "zoneName", "zone_name_empty"
            ),
            (
                [
                    "subscriptionType": "query", "query": query, "firesOn": ["create"],
                    "zoneID": ["zoneName": "Z", "ownerRecordName": "_ffffffffffffffffffffffffffffffff"],
                ], "ownerRecordName", "zone_of_another_user"
            ),
        ] as [(JSONValue, String, String)])
    func whatIsRefused(json: JSONValue, field: String, reasonCode: String) throws {
        let error = #expect(throws: ServerError.self) { try reader().subscription(json, id: "s") }
        #expect(error?.field == field)
        #expect(error?.reasonCode == reasonCode)
    }

    @Test(arguments: ["zone", "database"])
    func onlyQueriesWatchThePublicDatabase(type: String) throws {
        let error = #expect(throws: ServerError.self) {
            try reader("public").subscription(
                ["subscriptionType": .string(type), "zoneID": ["zoneName": "Z"]], id: "s")
        }
        #expect(error?.reasonCode == "zone_subscription_not_in_database")
        let query = try reader("public").subscription(
            ["subscriptionType": "query", "query": Self.query, "firesOn": ["create"]], id: "s")
        #expect(query.recordType == "Note")
    }

    @Test(
        arguments: [
            ([:], nil), (["zoneWide": true], nil), (["zoneWide": false], "_defaultZone"),
            (["zoneID": ["zoneName": "Z"]], "Z"), (["zoneWide": false, "zoneID": ["zoneName": "Z"]], "Z"),
        ] as [(JSONValue, String?)])
    func whereAQueryIsWatched(more: JSONValue, zone: String?) throws {
        let json: JSONValue = [
            "subscriptionType": "query", "query": Self.query, "firesOn": ["update", "delete"],
        ]
        let read = try reader().subscription(.object((json.members ?? []) + (more.members ?? [])), id: "s")
        let query = try #require(read.query)
        #expect(query.zoneID?.zoneName.rawValue == zone)
        #expect(query.firesOn == [.update, .delete])
        #expect(query.dictionary == ["recordType": "Note"])
        #expect(!query.firesOnce)
    }

    @Test(
        arguments: [
            ["subscriptionType": "database", "recordType": "Note"],
            ["subscriptionType": "zone", "zoneWide": true, "recordType": "Note"],
        ] as [JSONValue])
    func aWholeDatabaseIsSaidInTwoWays(json: JSONValue) throws {
        #expect(try reader().subscription(json, id: "s").kind == .database(recordType: "Note"))
    }
}
