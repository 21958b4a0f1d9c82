import Testing

@testable import CommandLine
@testable import CommandLineSession
@testable import FakeServices

@Suite struct ZoneNotificationTests {
    @Test func aNotificationIsALineForPeople() throws {
        let notification = try ZoneNotification.made(
            zone: "Notes", from: 17, to: 18, records: [("shopping", "updated"), ("travel", "deleted")])
        #expect(notification.line == "2026-01-15T18:00:00Z  Notes  17–18  updated shopping, deleted travel")
    }

    @Test func aSavedSubscriptionsNotificationNamesItAndTooManyRecordsAreReportedAsMany() throws {
        var notification = try ZoneNotification.made(
            zone: "Notes", from: 3, to: 3, records: [], subscriptionID: "inbox")
        notification.records = nil
        #expect(
            notification.line == "2026-01-15T18:00:00Z  Notes  3  subscription inbox  many records: read the feed")
    }

    @Test(
        arguments: [
            "", "{}", "[]", "x", #"{"id":"n","zone":"a","incarnation":"i","fromSeq":2,"toSeq":1}"#,
            #"{"zone":"a","incarnation":"i","fromSeq":1,"toSeq":1}"#,
        ])
    func anInvalidNotificationIsRefused(body: String) {
        #expect(throws: RequestFailure.self) { try ZoneNotification(Array(body.utf8)) }
    }
}
