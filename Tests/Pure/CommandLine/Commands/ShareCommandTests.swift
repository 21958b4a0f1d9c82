import ArgumentParser
import CloudKitModel
import CloudKitWire
import CommandLineSession
import OperatorMessages
import ServiceMessages
import Testing

@testable import CommandLine

/// The arguments, the requests and the output of `zonda share …`.
@Suite struct ShareCommandTests {
    private static let user = "_" + String(repeating: "1", count: 32)

    private static let participants: [JSONValue] = [
        [
            "participantId": "5.0",
            "userIdentity": ["userRecordName": .string("_" + String(repeating: "0", count: 32))],
            "type": "OWNER", "acceptanceStatus": "ACCEPTED", "permission": "READ_WRITE",
        ],
        [
            "participantId": "5.1", "userIdentity": ["lookupInfo": ["emailAddress": "ada@example.org"]],
            "type": "USER", "acceptanceStatus": "INVITED", "permission": "READ_ONLY",
        ],
    ]

    @Test func aMemberIsAUserOrAnAddress() {
        #expect(ShareMember("ada@example.org") != nil && ShareMember(Self.user) != nil)
        #expect(ShareMember("ada") == nil && ShareMember("") == nil)
    }

    @Test func invitingKeepsTheOthersAndUpdatesWhoIsListed() throws {
        let members = [try #require(ShareMember("ADA@example.org")), try #require(ShareMember(Self.user))]
        let list = ShareMember.inviting(members, .readWrite, to: Self.participants)
        #expect(list.map { $0["permission"] } == ["READ_WRITE", "READ_WRITE", "READ_WRITE"])
        #expect(list[1]["participantId"] == "5.1")
        #expect(list[2]["participantId"] == nil)
        #expect(list[2]["userIdentity"]?["userRecordName"] == .string(Self.user))
    }

    @Test func invitingAnAdministratorChangesTheType() throws {
        let members = [try #require(ShareMember("ada@example.org")), try #require(ShareMember(Self.user))]
        let list = ShareMember.inviting(members, .readWrite, as: .administrator, to: Self.participants)
        #expect(list.map { $0["type"] } == ["OWNER", "ADMINISTRATOR", "ADMINISTRATOR"])
    }

    @Test func aParticipantWithoutAnIdentityIsNamedByTheID() throws {
        let id = "C1D0B3F2-0E59-4A39-9B7C-0F5D2C7A6A11"
        let oneTime: JSONValue = [
            "participantId": .string(id), "userIdentity": [:], "type": "USER", "acceptanceStatus": "INVITED",
            "permission": "READ_ONLY", "oneTimeShortGUID": "1b2C",
        ]
        let member = try #require(ShareMember(id.lowercased()))
        #expect(ShareMember.removing([member], from: Self.participants + [oneTime]).rest == Self.participants)
        let share: JSONValue = ["recordName": "S", "participants": [oneTime]]
        #expect(ShareLine.details(share).contains("INVITED  one-time link 1b2C"))
        #expect(throws: (any Error).self) { try ShareInvite.parse(["--zone", "Notes", "list", id]) }
    }

    @Test func aOneTimeLinkHasAPermissionAndIsNotARotation() throws {
        #expect(throws: Never.self) {
            try ShareLink.parse(["--zone", "Notes", "list", "--one-time", "--permission", "read-write"])
        }
        for options in [
            ["--one-time", "--rotate"], ["--permission", "read-only"], ["--one-time", "--permission", "none"],
        ] {
            #expect(throws: (any Error).self) { try ShareLink.parse(["--zone", "Notes", "list"] + options) }
        }
        #expect(ShareMember.oneTime(.readOnly)["usesOneTimeURL"] == true)
    }

    @Test func aRequesterIsALine() {
        let requester: JSONValue = [
            "userIdentity": ["userRecordName": "_1", "lookupInfo": ["emailAddress": "ada@example.org"]]
        ]
        #expect(ShareLine.requester(requester, "requested") == "_1  ada@example.org  requested")
        #expect(throws: (any Error).self) {
            try ShareRequestsDeny.parse(["--zone", "Notes", "list", "ada@example.org"])
        }
    }

    @Test func removingNamesThoseWhoAreNotListed() throws {
        let members = [try #require(ShareMember("ada@example.org")), try #require(ShareMember(Self.user))]
        let (rest, unknown) = ShareMember.removing(members, from: Self.participants)
        #expect(rest.map { $0["participantId"] } == ["5.0"])
        #expect(unknown.map(\.text) == [Self.user])
    }

    @Test func aNewShareNamesItsRootAndTheInvited() throws {
        let command = try ShareCreate.parse([
            "--zone", "Notes", "groceries", "--title", "Groceries", "--invite", "ada@example.org", "--permission",
            "read-write",
        ])
        let record = try #require(command.operation["record"])
        #expect(record["recordName"] == nil && record["forRecord"] == ["recordName": "groceries"])
        #expect(record["fields"] == ["cloudkit.title": ["value": "Groceries", "type": "STRING"]])
        #expect(record["publicPermission"] == "NONE")
        #expect(record["participants"]?[0]?["permission"] == "READ_WRITE")
        let whole = try ShareCreate.parse(["--zone", "Notes", "--zone-wide", "--public", "read-only"])
        #expect(whole.operation["record"]?["recordName"] == "cloudkit.zoneshare")
        #expect(whole.operation["record"]?["publicPermission"] == "READ_ONLY")
    }

    @Test func aSummaryContainsNoLinkAndTheDetailsDo() {
        let share: JSONValue = [
            "recordName": "S", "fields": ["cloudkit.title": ["value": "Groceries"]], "publicPermission": "NONE",
            "shortGUID": "0a1B", "participants": .array(Self.participants),
        ]
        #expect(ShareLine.summary(share) == "S  Groceries  public NONE  2 participants")
        #expect(
            ShareLine.details(share) == """
                S  Groceries  public NONE  2 participants
                  link  0a1B
                  _00000000000000000000000000000000  OWNER  READ_WRITE  ACCEPTED
                  ada@example.org                    USER   READ_ONLY   INVITED
                """)
    }

    @Test func anExplanationPrintsEachLink() {
        let answer = SharesExplainRequest.Answer(
            chain: [
                ExplainedRecord(recordName: "milk", recordType: "Item", state: "live", share: "S", rootOf: nil),
                ExplainedRecord(recordName: "list", recordType: "List", state: "live", share: "S", rootOf: "S"),
            ],
            share: ExplainedShare(
                recordName: "S", rootRecordName: "list", publicPermission: "NONE", openInvitations: 0),
            participant: ExplainedParticipant(
                participantId: "5.1", type: "USER", acceptanceStatus: "INVITED", permission: "READ_ONLY"),
            right: "NONE", missing: "acceptance", explanation: "The user has been invited but has not accepted.")
        #expect(
            ShareLine.explanation(answer) == """
                record       milk        Item  in share S
                parent       list        List  in share S  root of S
                share        S           public NONE
                participant  5.1         USER  READ_ONLY  INVITED
                right        NONE
                missing      acceptance
                The user has been invited but has not accepted.
                """)
        let blocked = SharesExplainRequest.Answer(
            accessRequest: "BLOCKED", right: "NONE", missing: "blocked", explanation: "The user is blocked.")
        #expect(
            ShareLine.explanation(blocked) == """
                request  BLOCKED
                right    NONE
                missing  blocked
                The user is blocked.
                """)
        let none = SharesExplainRequest.Answer(right: "NONE", missing: "zone", explanation: "No zone.")
        #expect(ShareLine.explanation(none) == "right    NONE\nmissing  zone\nNo zone.")
    }

    @Test func aResultOfALinkContainsNoLink() {
        let result: JSONValue = [
            "shortGUID": ["value": "0a1B"], "participantStatus": "ACCEPTED", "participantPermission": "READ_ONLY",
            "zoneID": ["zoneName": "Notes", "ownerRecordName": "_0"], "rootRecordName": "list",
            "share": ["fields": ["cloudkit.title": ["value": "Groceries"]], "shortGUID": "0a1B"],
        ]
        #expect(ShareLine.result(result) == "ACCEPTED  READ_ONLY  Groceries  list  zone Notes of _0")
    }

    /// Answers with an empty page, and notes the bodies.
    private actor Zones: Requester {
        var bodies: [JSONValue] = []

        func ask(_ request: Request, limit: Duration) async throws(RequestFailure) -> Answer {
            if let body = try? JSONValue(parsing: request.body) { bodies.append(body) }
            let page: JSONValue = ["zones": [["records": [], "syncToken": "t", "moreComing": false]]]
            return Answer(status: 200, body: page.encoded(), attempts: 1)
        }
    }

    @Test func theFeedOfASharedZoneNamesItsOwner() async throws {
        let zones = Zones()
        var feed = ZoneFeed(requester: zones, zone: "Notes", owner: Self.user, limit: .seconds(1))
        feed.desiredTypes = ["cloudkit.share"]
        _ = try await feed.nextPage()
        let zone = await zones.bodies[0]["zones"]?[0]
        #expect(zone?["zoneID"] == ["zoneName": "Notes", "ownerRecordName": .string(Self.user)])
        #expect(zone?["desiredRecordTypes"] == ["cloudkit.share"])
    }
}
