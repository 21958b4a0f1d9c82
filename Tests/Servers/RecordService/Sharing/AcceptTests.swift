import CloudKitModel
import CloudKitWire
import PostgresClient
import ServiceMessages
import Testing

@testable import RecordService
@testable import RecordStorage

/// Shares that others resolve and accept by their links (semantics 11.3, web-services 2.9 and 3.10).
@Suite(.enabled(if: RecordDatabase.serverURL != nil), .timeLimit(.minutes(5)))
struct AcceptTests {
    private static let unknown: JSONValue = .string(String(repeating: "x", count: 24))

    /// Saves a list that is shared, and returns its link.
    private func share(
        _ database: RecordDatabase, in zone: ZoneEntry, permission: String? = nil, _ participants: JSONValue...
    ) async throws -> JSONValue {
        let saved = try await database.save(
            zone, database.operation("create", "list", ["title": "Trip"]),
            database.share(
                "create", "S", of: "list", permission: permission, participants: participants,
                fields: ["cloudkit.title": ["value": "Trip"]]))
        return try #require(saved[1]["shortGUID"])
    }

    /// A result without what differs between two requests.
    private func bare(_ result: JSONValue) -> JSONValue {
        .object((result.members ?? []).filter { !["uuid", "shortGUID"].contains($0.key) })
    }

    @Test func invitedUserResolvesAndAccepts() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            let user = RecordDatabase.user("b")
            let link = try await share(
                database, in: zone, RecordDatabase.participant(user, "READ_ONLY"),
                RecordDatabase.participant(RecordDatabase.user("c")), RecordDatabase.invitation("ada@example.org"))
            let item: JSONValue = [
                "value": link, "shouldFetchRootRecord": true, "rootRecordDesiredKeys": ["title"],
            ]
            let before = try await database.links(.recordsResolve, item, by: user).results[0]
            #expect(before["shortGUID"] == item)
            #expect(before["containerIdentifier"] == .string(RecordDatabase.container))
            #expect(before["environment"] == "development")
            #expect(before["databaseScope"] == "SHARED")
            #expect(before["zoneID"]?["zoneName"] == "Z")
            #expect(before["zoneID"]?["ownerRecordName"] == .string(RecordDatabase.user))
            #expect(before["share"]?["recordName"] == "S")
            #expect(before["share"]?["fields"]?["cloudkit.title"]?["value"] == "Trip")
            #expect(before["rootRecordName"] == "list")
            #expect(before["rootRecord"]?["fields"]?["title"]?["value"] == "Trip")
            #expect(before["ownerIdentity"]?["userRecordName"] == .string(RecordDatabase.user))
            #expect(before["participantType"] == "USER")
            #expect(before["participantStatus"] == "INVITED")
            #expect(before["participantPermission"] == "READ_ONLY")
            #expect(before["potentialMatchList"]?.array?.isEmpty == true)
            // Before accepting, the user sees the owner and itself; nobody else's address ever.
            #expect(before["share"]?["participants"]?.array?.count == 2)
            #expect(!before.encodedText.contains("ada@example.org"))

            let (accepted, events) = try await database.links(.recordsAccept, link, by: user)
            #expect(accepted[0]["participantStatus"] == "ACCEPTED")
            #expect(accepted[0]["databaseScope"] == "SHARED")
            #expect(accepted[0]["share"]?["currentUserParticipant"]?["acceptanceStatus"] == "ACCEPTED")
            #expect(accepted[0]["rootRecord"] == nil)
            #expect(!accepted[0].encodedText.contains("ada@example.org"))
            #expect(events.count == 1)
            // The owner's copy of the share shows it, with a new tag.
            let share = try await database.record("S", in: zone)
            #expect(share["participants"]?[1]?["acceptanceStatus"] == "ACCEPTED")
            #expect(share["recordChangeTag"] != before["share"]?["recordChangeTag"])
            let since = try await database.query("select since_seq, until_seq from record.participant where id = 1")
            #expect(since.first?.isNull(0) == false)
        }
    }

    @Test func ownerResolvesInTheOwnDatabase() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            let link = try await share(database, in: zone, RecordDatabase.invitation("ada@example.org"))
            for operation in [ServiceMessages.Operation.recordsResolve, .recordsAccept] {
                let (results, events) = try await database.links(operation, link, by: RecordDatabase.user)
                #expect(results[0]["databaseScope"] == "PRIVATE")
                #expect(results[0]["participantType"] == "OWNER")
                #expect(results[0]["participantStatus"] == "ACCEPTED")
                #expect(results[0].encodedText.contains("ada@example.org"))
                #expect(events.isEmpty)
            }
        }
    }

    @Test func whatIsNotForTheUserIsUnknown() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            let stranger = RecordDatabase.user("e")
            let link = try await share(database, in: zone, RecordDatabase.participant(RecordDatabase.user("b")))
            let before = try await database.feed().token
            for operation in [ServiceMessages.Operation.recordsResolve, .recordsAccept] {
                let unknown = try await database.links(operation, Self.unknown, by: stranger).results[0]
                #expect(unknown["serverErrorCode"] == "NOT_FOUND")
                #expect(unknown["ckErrorCode"] == 11)
                let hidden = try await database.links(operation, link, by: stranger).results[0]
                #expect(bare(hidden) == bare(unknown))
                let malformed = try await database.links(operation, "a b", by: stranger).results[0]
                #expect(bare(malformed) == bare(unknown))
            }
            #expect(try await database.feed(since: before).names == [])
            // The share ends, and is unknown to the participant too.
            try await database.save(zone, database.operation("delete", "S"))
            for operation in [ServiceMessages.Operation.recordsResolve, .recordsAccept] {
                let ended = try await database.links(operation, link, by: RecordDatabase.user("b")).results[0]
                let unknown = try await database.links(operation, Self.unknown, by: stranger).results[0]
                #expect(bare(ended) == bare(unknown))
            }
        }
    }

    @Test func onlyAVerifiedAddressMatchesAnInvitation() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            let user = RecordDatabase.user("b")
            let link = try await share(database, in: zone, RecordDatabase.invitation("Ada@Example.org"))
            for email in [nil, "eve@example.org"] {
                for operation in [ServiceMessages.Operation.recordsResolve, .recordsAccept] {
                    let results = try await database.links(operation, link, by: user, email: email).results
                    #expect(results[0]["ckErrorCode"] == 33)
                    #expect(!results[0].encodedText.lowercased().contains("ada@example.org"))
                }
            }
            let found = try await database.links(.recordsResolve, link, by: user, email: "ADA@example.org").results[0]
            #expect(found["participantStatus"] == "INVITED")
            #expect(
                found["potentialMatchList"]?[0]?["contactInformation"]?["emailAddress"] == "ada@example.org")
            #expect(
                found["potentialMatchList"]?[0]?["participantId"]
                    == found["share"]?["participants"]?[1]?["participantId"])
            let accepted = try await database.links(.recordsAccept, link, by: user, email: "ada@example.org").results[0]
            #expect(accepted["participantStatus"] == "ACCEPTED")
            // The invitation is used: nobody else can take it.
            let other = try await database.links(
                .recordsAccept, link, by: RecordDatabase.user("c"), email: "ada@example.org")
            #expect(other.results[0]["ckErrorCode"] == 11)
            let rows = try await database.query("select user_name from record.participant where id = 1")
            #expect(rows.first?.string(0) == user)
        }
    }

    @Test func publicUsersJoinByTheLink() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            let link = try await share(database, in: zone, permission: "READ_ONLY")
            let found = try await database.links(.recordsResolve, link, by: RecordDatabase.user("b")).results[0]
            #expect(found["participantType"] == "PUBLIC_USER")
            #expect(found["participantStatus"] == "INVITED")
            for digit: Character in ["b", "c"] {
                let joined = try await database.links(.recordsAccept, link, by: RecordDatabase.user(digit)).results[0]
                #expect(joined["participantType"] == "PUBLIC_USER")
                #expect(joined["participantStatus"] == "ACCEPTED")
                #expect(joined["participantPermission"] == "READ_ONLY")
                // Public users see the owner and themselves.
                #expect(joined["share"]?["participants"]?.array?.count == 2)
            }
            #expect(try await database.record("S", in: zone)["participants"]?.array?.count == 3)
            // Without the public permission, all of them lose access and the link opens nothing.
            try await database.save(
                zone,
                database.share(
                    "update", "S", of: nil, tag: try await database.tag("S", in: zone), permission: "NONE"))
            let after = try await database.links(.recordsAccept, link, by: RecordDatabase.user("b")).results[0]
            #expect(after["ckErrorCode"] == 11)
        }
    }

    @Test func acceptingIsExecutedOnce() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            let user = RecordDatabase.user("b")
            let link = try await share(database, in: zone, RecordDatabase.participant(user))
            _ = try await database.links(.recordsAccept, link, by: user, messageID: "once")
            let tag = try await database.tag("S", in: zone)
            // Neither a repeat nor another request of the same user changes anything.
            let again = try await database.links(.recordsAccept, link, by: user, messageID: "once")
            #expect(again.results[0]["participantStatus"] == "ACCEPTED")
            let later = try await database.links(.recordsAccept, link, by: user)
            #expect(later.results[0]["participantStatus"] == "ACCEPTED")
            #expect(again.events.isEmpty && later.events.isEmpty)
            #expect(try await database.tag("S", in: zone) == tag)
            // The owner removes the user; the repeat neither accepts again nor shows anything.
            try await database.save(zone, database.share("update", "S", of: nil, tag: tag, participants: []))
            let removed = try await database.links(.recordsAccept, link, by: user, messageID: "once").results[0]
            #expect(removed["ckErrorCode"] == 11)
            let rows = try await database.query("select status::int8, until_seq from record.participant where id = 1")
            #expect(rows.first?.int64(0) == 3)
            #expect(rows.first?.isNull(1) == false)
        }
    }

    @Test func eachLinkHasItsOwnOutcome() async throws {
        try await RecordDatabase.with { database in
            let (first, second) = (try await database.zone("A"), try await database.zone("B"))
            let user = RecordDatabase.user("b")
            let links = [
                try await share(database, in: first, RecordDatabase.participant(user)),
                try await share(database, in: second, RecordDatabase.participant(RecordDatabase.user("c"))),
            ]
            let whole = try await database.save(
                try await database.zone("C"),
                database.share(
                    "create", "cloudkit.zoneshare", of: nil, participants: [RecordDatabase.participant(user)]))
            let zoneLink = try #require(whole[0]["shortGUID"])
            let (results, events) = try await database.links(
                .recordsAccept, links[0], Self.unknown, links[1], zoneLink, by: user)
            #expect(results.map { $0["participantStatus"] } == ["ACCEPTED", nil, nil, "ACCEPTED"])
            #expect(results.map { $0["ckErrorCode"] } == [nil, 11, 11, nil])
            #expect(results[3]["rootRecordName"] == nil)
            #expect(events.count == 2)
        }
    }

    @Test func invitationByEmailOfSomeoneWhoWasRemovedUsesTheOldRow() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            let user = RecordDatabase.user("b")
            let link = try await share(database, in: zone, RecordDatabase.participant(user))
            _ = try await database.links(.recordsAccept, link, by: user)
            for participants in [[], [RecordDatabase.invitation("ada@example.org", "READ_ONLY")]] {
                try await database.save(
                    zone,
                    database.share(
                        "update", "S", of: nil, tag: try await database.tag("S", in: zone), participants: participants))
            }
            let accepted = try await database.links(.recordsAccept, link, by: user, email: "ada@example.org").results[0]
            #expect(accepted["participantPermission"] == "READ_ONLY")
            #expect(accepted["participantStatus"] == "ACCEPTED")
            let rows = try await database.query("select id::int8 from record.participant order by id")
            #expect(rows.map { $0.int64(0) } == [0, 1])
        }
    }

    @Test func aRequestWithoutAUserIsRefused() async throws {
        try await RecordDatabase.with { database in
            await #expect(throws: ServerError.self) {
                _ = try await database.links(.recordsResolve, Self.unknown, by: RequestContext.world)
            }
            await #expect(throws: ServerError.self) {
                _ = try await database.links(.recordsAccept, Self.unknown, by: RequestContext.world)
            }
        }
    }
}

extension JSONValue {
    /// The JSON text of the value.
    fileprivate var encodedText: String { String(decoding: encoded(), as: UTF8.self) }
}
