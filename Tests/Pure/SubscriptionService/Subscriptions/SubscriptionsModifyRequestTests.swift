import AMQPClient
import CloudKitModel
import CloudKitWire
import ServiceMessages
import Testing

@testable import SubscriptionService
@testable import SubscriptionStorage

struct SubscriptionsModifyRequestTests {
    private static let user = "_0123456789abcdef0123456789abcdef"

    private static func context(_ database: String = "private") throws -> RequestContext {
        try RequestContext(
            AMQPProperties(
                messageID: "m",
                headers: [
                    Header.container: "com.example.tests", Header.environment: "development",
                    Header.database: .string(database), Header.user: .string(user),
                ]), operation: .subscriptionsModify)
    }

    private static func decode(_ operations: JSONValue, messageID: String = "m", database: String = "private") throws
        -> [SubscriptionsModifyRequest.Operation]
    {
        try SubscriptionsModifyRequest(
            decoding: JSONValue.object([JSONValue.Member("operations", operations)]).encoded(), messageID: messageID,
            context: context(database), maxOperations: 3
        ).operations
    }

    private static let zone: JSONValue = ["zoneName": "Notes"]

    @Test func aZoneIsTheCallersOwn() throws {
        let operations = try Self.decode([
            [
                "operationType": "create",
                "subscription": [
                    "subscriptionID": "s", "subscriptionType": "zone",
                    "zoneID": ["zoneName": "Notes", "ownerRecordName": "__defaultOwner__"],
                    "notificationInfo": ["alertBody": "Look"], "firesOn": ["create"],
                ],
            ]
        ])
        let expected = Subscription(
            subscriptionID: "s",
            kind: .zone(
                ZoneID(zoneName: ZoneName(unchecked: "Notes"), ownerRecordName: UserName(unchecked: Self.user)),
                recordType: nil),
            notificationInfo: try NotificationInfo(["alertBody": "Look"]))
        #expect(operations == [.create(expected)])
    }

    @Test func anIDThatIsMadeIsTheSameForARepeatAndDiffersOtherwise() throws {
        let create: JSONValue = [
            "operationType": "create", "subscription": ["subscriptionType": "zone", "zoneID": Self.zone],
        ]
        let first = try Self.decode([create, create])
        let again = try Self.decode([create, create])
        let other = try Self.decode([create], messageID: "n")
        #expect(first == again)
        let ids = (first + other).compactMap { $0.subscription?.subscriptionID }
        #expect(Set(ids).count == 3)
    }

    @Test(
        arguments: [
            (["operationType": "create", "subscription": ["subscriptionID": "s"]], "missing_key", "subscriptionType"),
            (["operationType": "create", "subscription": ["subscriptionType": "zone"]], "missing_key", "zoneID"),
            (
                ["operationType": "create", "subscription": ["subscriptionType": "push"]], "subscription_type_unknown",
                "subscriptionType"
            ),
            (
                [
                    "operationType": "create",
                    "subscription": ["subscriptionType": "zone", "zoneID": ["zoneName": "_defaultZone"]],
                ], "default_zone_not_watchable", "zoneID"
            ),
            (
                [
                    "operationType": "create",
                    "subscription": [
                        "subscriptionType": "zone",
                        "zoneID": [
                            "zoneName": "Notes", "ownerRecordName": "_11111111111111111111111111111111",
                        ],
                    ],
                ], "zone_of_another_user", "ownerRecordName"
            ),
            (
                [
                    "operationType": "create",
                    "subscription": [
                        "subscriptionID": "", "subscriptionType": "zone", "zoneID": ["zoneName": "Notes"],
                    ],
                ], "subscription_id_invalid", "subscriptionID"
            ),
            (
                ["operationType": "update", "subscription": ["subscriptionType": "zone"]], "missing_key",
                "subscriptionID"
            ),
            (["operationType": "delete", "subscription": [:]], "missing_key", "subscriptionID"),
            (["operationType": "delete"], "missing_key", "subscription"),
            (["operationType": "fetch", "subscription": [:]], "unknown_operation", "operationType"),
            (["subscription": [:]], "missing_key", "operationType"),
        ] as [(JSONValue, String, String)])
    func anOperationThatCannotBeExecutedIsAnItemsError(operation: JSONValue, reasonCode: String, field: String) throws {
        let operations = try Self.decode([operation])
        guard case .refused(let error, let id) = try #require(operations.first) else {
            Issue.record("it was not refused")
            return
        }
        #expect(error.reasonCode == reasonCode)
        #expect(error.field == field)
        #expect(id?.rawValue == operation["subscription"]?["subscriptionID"]?.string)
    }

    @Test func thePublicDatabaseHasNoZoneToWatch() throws {
        let operations = try Self.decode(
            [
                [
                    "operationType": "create", "subscription": ["subscriptionType": "zone", "zoneID": Self.zone],
                ]
            ],
            database: "public")
        guard case .refused(let error, _) = try #require(operations.first) else {
            Issue.record("it was not refused")
            return
        }
        #expect(error.ckErrorCode == CKErrorCode.badDatabase.rawValue)
    }

    @Test func theNumberOfOperationsIsLimited() throws {
        let delete: JSONValue = ["operationType": "delete", "subscription": ["subscriptionID": "s"]]
        let error = #expect(throws: ServerError.self) { try Self.decode([delete, delete, delete, delete]) }
        #expect(error?.limit == 3)
        #expect(error?.actual == 4)
    }
}
