import CloudKitModel
import CloudKitWire
import Foundation
import Testing

@testable import CloudKit

@Suite struct SharingOperationTests {
    private static let link = "https://zonda.example.org/share/ENQhSQpqQKkPFsbRUotxLD69#Groceries"

    @Test(arguments: [
        (link, "ENQhSQpqQKkPFsbRUotxLD69"), ("https://zonda.example.org/share/abc/", "abc"),
        ("https://zonda.example.org/share/", nil), ("https://zonda.example.org/abc", nil), ("https://a.example", nil),
    ])
    func links(link: String, guid: String?) throws {
        let url = try #require(URL(string: link))
        let found = try? ShareLink.shortGUID(of: url)
        #expect(found == guid)
    }

    private static func result(_ scope: String) -> JSONValue {
        [
            "containerIdentifier": "iCloud.org.example.notes", "databaseScope": .string(scope),
            "share": [
                "recordName": "Share-1", "recordType": "cloudkit.share", "recordChangeTag": "1", "fields": [:],
                "zoneID": ["zoneName": "Notes", "ownerRecordName": "_owner", "zoneType": "REGULAR_CUSTOM_ZONE"],
            ],
        ]
    }

    /// The zone of a share belongs to the user in the user's own answer, and to its owner in that of others.
    @Test(arguments: [("PRIVATE", "__defaultOwner__"), ("SHARED", "_owner")])
    func theOwnerOfTheZone(scope: String, owner: String) throws {
        let database = WebDatabase(.shared) { _ throws(CKError) in [] }
        let share = try ShareLink.share(from: Self.result(scope), in: database)
        #expect(share.recordID.zoneID == CKRecordZone.ID(zoneName: "Notes", ownerName: owner))
    }

    @Test func linksAreResolved() async throws {
        let log = EventLog()
        let good = try #require(URL(string: Self.link))
        let unknown = try #require(URL(string: "https://zonda.example.org/share/unknown"))
        let foreign = try #require(URL(string: "https://example.org/"))
        let operation = CKFetchShareMetadataOperation(shareURLs: [good, foreign, unknown])
        operation.shouldFetchRootRecord = true
        operation.rootRecordDesiredKeys = ["title"]
        let server = FakeServer(.shared) { _, _ in
            ["results": [Self.result("SHARED"), FakeServer.fault(.unknownItem)]]
        }
        server.serve(operation)
        operation.perShareMetadataResultBlock = { log.add("\($0.lastPathComponent) \($1.outcome)") }
        operation.fetchShareMetadataCompletionBlock = { error in
            log.add("completion \((error as? CKError)?.partialErrorsByItemID?.count ?? 0)")
        }
        operation.fetchShareMetadataResultBlock = { log.add("result \($0.outcome)") }
        await operation.run()
        #expect(
            log.all == [
                "/ unknownItem", "ENQhSQpqQKkPFsbRUotxLD69 ok", "unknown unknownItem", "completion 2", "result ok",
            ])
        #expect(
            server.requests.first?.body["shortGUIDs"]?[0] == [
                "value": "ENQhSQpqQKkPFsbRUotxLD69", "shouldFetchRootRecord": true, "rootRecordDesiredKeys": ["title"],
            ])
    }

    @Test func accessIsRequested() async throws {
        let log = EventLog()
        let operation = CKShareRequestAccessOperation(shareURLs: [try #require(URL(string: Self.link))])
        let server = FakeServer(.public) { _, _ in ["results": [["shortGUID": ["value": "x"]]]] }
        server.serve(operation)
        operation.perShareAccessRequestResultBlock = { log.add("\($0.lastPathComponent) \($1.outcome)") }
        operation.shareAccessRequestResultBlock = { log.add("result \($0.outcome)") }
        await operation.run()
        #expect(log.all == ["ENQhSQpqQKkPFsbRUotxLD69 ok", "result ok"])
        #expect(server.requests.map(\.action) == ["shares/requestAccess"])
    }

    /// Anyone with an email address can be invited. A record name must be that of a user.
    @Test func participantsAreMadeOfWhatIsKnown() async {
        let log = EventLog()
        let operation = CKFetchShareParticipantsOperation(userIdentityLookupInfos: [
            CKUserIdentity.LookupInfo(emailAddress: "ada@example.org"),
            CKUserIdentity.LookupInfo(emailAddress: "new@example.org"),
            CKUserIdentity.LookupInfo(userRecordID: CKRecord.ID(recordName: "_unknown")),
            CKUserIdentity.LookupInfo(phoneNumber: "1"),
        ])
        let server = FakeServer(.public) { _, _ in
            ["users": [["userRecordName": "_ada", "lookupInfo": ["emailAddress": "Ada@example.org"]]]]
        }
        server.serve(operation)
        operation.perShareParticipantResultBlock = { info, result in
            log.add("\(info.emailAddress ?? info.userRecordID?.recordName ?? "phone") \(result.outcome)")
        }
        operation.fetchShareParticipantsResultBlock = { log.add("result \($0.outcome)") }
        await operation.run()
        #expect(
            log.all == [
                "ada@example.org ok", "new@example.org ok", "_unknown unknownItem", "phone unknownItem", "result ok",
            ])
    }
}
