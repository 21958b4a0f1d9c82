import CloudKitModel
import CloudKitWire
import Testing

@testable import SubscriptionService
@testable import SubscriptionStorage

struct NotificationInfoTests {
    @Test(
        arguments: [
            ([:], nil),
            (["shouldBadge": true], nil),
            (["shouldSendContentAvailable": false, "alertBody": nil], nil),
            (["alertBody": "Look"], ["alert": "Look"]),
            (["alertBody": "Look", "soundName": "ding"], ["alert": "Look", "sound": "ding"]),
            (["alertBody": "Look", "title": "Notes"], ["alert": ["body": "Look", "title": "Notes"]]),
            (
                ["alertLocalizationKey": "K", "alertLocalizationArgs": ["a"], "alertLaunchImage": "i.png"],
                ["alert": ["loc-key": "K", "launch-image": "i.png"]]
            ),
            (["category": "c"], ["category": "c"]),
            (
                ["shouldSendContentAvailable": true, "shouldSendMutableContent": true],
                ["content-available": 1, "mutable-content": 1]
            ),
        ] as [(JSONValue, JSONValue?)])
    func whatIsShown(info: JSONValue, aps: JSONValue?) throws {
        let shown = try NotificationInfo(info).aps(about: nil, badge: nil)
        #expect(shown == aps)
    }

    @Test func unknownKeysAreLeftOutAndFlagsHaveAValue() throws {
        let info = try NotificationInfo(["x": 1, "alertBody": "Look", "shouldBadge": true])
        #expect(
            info.json == [
                "alertBody": "Look", "shouldBadge": true, "shouldSendContentAvailable": false,
                "shouldSendMutableContent": false,
            ])
    }

    @Test(
        arguments: [
            (["alertBody": 1], "alertBody"), (["shouldBadge": "yes"], "shouldBadge"),
            (["additionalFields": "a"], "additionalFields"), (["additionalFields": [1]], "additionalFields"),
            ("text", "notificationInfo"),
        ] as [(JSONValue, String)])
    func aValueOfAnotherKindIsRefusedByName(info: JSONValue, field: String) {
        let error = #expect(throws: ServerError.self) { try NotificationInfo(info) }
        #expect(error?.reasonCode == "wrong_kind")
        #expect(error?.field == field)
    }

    @Test func itsSizeIsLimited() throws {
        let text = String(repeating: "x", count: 16 * 1024)
        let error = #expect(throws: ServerError.self) { try NotificationInfo(["alertBody": .string(text)]) }
        #expect(error?.reasonCode == "notification_info_too_long")
        #expect(error?.limit == 16 * 1024)
    }
}
