import CloudKitModel
import CloudKitWire
import PostgresClient
import ServiceMessages
import Testing

@testable import RecordService
@testable import RecordStorage

/// Links that make the first user who accepts them a participant.
@Suite(.enabled(if: RecordDatabase.serverURL != nil), .timeLimit(.minutes(5)))
struct OneTimeLinkTests {
    private static let invitation: JSONValue = ["permission": "READ_WRITE", "usesOneTimeURL": true]
    private static let unknown: JSONValue = .string(String(repeating: "x", count: 24))
    private static let both = [ServiceMessages.Operation.recordsResolve, .recordsAccept]

    /// Shares a list with two one-time participants and a user, and returns the one-time links.
    private func share(_ database: RecordDatabase, in zone: ZoneEntry) async throws -> [JSONValue] {
        let saved = try await database.save(
            zone, database.operation("create", "list"), database.operation("create", "a", parent: "list"),
            database.share(
                "create", "S", of: "list",
                participants: [
                    Self.invitation, Self.invitation, RecordDatabase.participant(RecordDatabase.user("9")),
                ], fields: ["cloudkit.title": ["value": "Trip"]]))
        return try links(saved[2])
    }

    private func links(_ share: JSONValue) throws -> [JSONValue] {
        try #require(share["participants"]?.array, "\(share)").compactMap { $0["oneTimeShortGUID"] }
    }

    private func save(_ database: RecordDatabase, _ zone: ZoneEntry, _ participants: [JSONValue]) async throws {
        try await database.save(
            zone,
            database.share(
                "update", "S", of: nil, tag: try await database.tag("S", in: zone), participants: participants))
    }

    private func bare(_ result: JSONValue) -> JSONValue {
        .object((result.members ?? []).filter { !["uuid", "shortGUID"].contains($0.key) })
    }

    @Test func theFirstUserBecomesTheParticipantAndTheLinkIsUnknownToOthers() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            let oneTime = try await share(database, in: zone)
            #expect(oneTime.count == 2 && Set(oneTime.compactMap(\.string)).count == 2)
            let (first, second) = (SharedReader(database, "b"), SharedReader(database, "c"))
            let found = try await database.links(.recordsResolve, oneTime[0], by: first.user).results[0]
            #expect(found["participantStatus"] == "INVITED" && found["participantPermission"] == "READ_WRITE")
            #expect(found["share"]?["fields"]?["cloudkit.title"]?["value"] == "Trip")
            // The link of the share is for its participants, and so is the other one-time link.
            let share = try await database.record("S", in: zone)
            let text = String(decoding: found.encoded(), as: UTF8.self)
            #expect(!text.contains(try #require(share["shortGUID"]?.string)))
            #expect(!text.contains(try #require(oneTime[1].string)) && !text.contains(RecordDatabase.user("9")))
            let whole = try await database.links(
                .recordsResolve, ["value": oneTime[0], "shouldFetchRootRecord": true], by: first.user
            ).results[0]
            #expect(whole["rootRecord"]?["shortGUID"] == oneTime[0], "\(whole)")
            #expect(
                !String(decoding: whole.encoded(), as: UTF8.self).contains(try #require(share["shortGUID"]?.string)))
            #expect(found["share"]?["shortGUID"] == oneTime[0] && found["potentialMatchList"]?.array?.isEmpty == true)

            let accepted = try await database.links(.recordsAccept, oneTime[0], by: first.user, messageID: "once")
            #expect(accepted.results[0]["participantStatus"] == "ACCEPTED", "\(accepted.results)")
            #expect(accepted.results[0]["share"]?["shortGUID"] == share["shortGUID"])
            #expect(accepted.events.count == 1)
            #expect(try await first.look("a")["records"]?[0]?["recordName"] == "a")
            let again = try await database.links(.recordsAccept, oneTime[0], by: first.user, messageID: "once")
            let later = try await database.links(.recordsAccept, oneTime[0], by: first.user)
            #expect(bare(again.results[0]) == bare(later.results[0]) && again.events.isEmpty && later.events.isEmpty)
            for operation in Self.both {
                let results = try await database.links(operation, oneTime[0], Self.unknown, by: second.user).results
                #expect(results[0]["ckErrorCode"] == 11 && bare(results[0]) == bare(results[1]))
                let claimed = try await database.links(operation, oneTime[0], by: RecordDatabase.user("9")).results
                #expect(claimed[0]["ckErrorCode"] == 11)
            }
            // The owner still sees the link that has not been used, and the one that was used is kept as a digest.
            #expect(try links(try await database.record("S", in: zone)) == [oneTime[1]])
            let rows = try await database.query("select link is null from record.one_time_link order by participant")
            #expect(rows.map { $0.bool(0) } == [true, false])
            let other = try await database.links(.recordsAccept, oneTime[1], by: second.user).results[0]
            #expect(other["participantStatus"] == "ACCEPTED")
        }
    }

    @Test func ofSeveralUsersWhoTakeALinkAtOnceExactlyOneGetsIt() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            let oneTime = try await share(database, in: zone)[0]
            let results = try await withThrowingTaskGroup(of: JSONValue.self) { group in
                for digit in "bcdef" {
                    group.addTask {
                        try await database.links(.recordsAccept, oneTime, by: RecordDatabase.user(digit)).results[0]
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(results.count { $0["participantStatus"] == "ACCEPTED" } == 1, "\(results)")
            #expect(results.count { $0["ckErrorCode"] == 11 } == 4)
            var readers: [String] = []
            for digit in "bcdef" {
                let reader = SharedReader(database, digit)
                if try await reader.look("a")["records"]?[0]?["recordName"] == "a" { readers.append(reader.user) }
            }
            #expect(readers.count == 1)
            let list = try #require(try await database.record("S", in: zone)["participants"]?.array)
            let users = list.compactMap { $0["userIdentity"]?["userRecordName"]?.string }
            #expect(list.count == 4 && users.filter { readers.contains($0) } == readers, "\(list)")
        }
    }

    @Test func onlyThoseWhoManageTheShareSeeOneTimeLinks() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            _ = try await share(database, in: zone)
            let friend = SharedReader(database, "9")
            try await friend.accept("S", in: zone)
            for shown in [try await friend.look("S")["records"]?[0], try await friend.page(since: nil)] {
                #expect(!String(decoding: try #require(shown).encoded(), as: UTF8.self).contains("oneTimeShortGUID"))
            }
            let list = try #require(try await database.record("S", in: zone)["participants"]?.array)
            try await save(
                database, zone, list.dropLast() + [RecordDatabase.participant(friend.user, type: "ADMINISTRATOR")])
            let share = try #require(try await friend.look("S")["records"]?[0])
            #expect(try links(share).count == 2)
            // An administrator makes such links too.
            let answer = try await friend.modify(
                zone,
                database.share(
                    "update", "S", of: nil, tag: share["recordChangeTag"]?.string,
                    participants: try #require(share["participants"]?.array) + [Self.invitation]))
            #expect(try links(try #require(answer["records"]?[0])).count == 3, "\(answer)")
        }
    }

    @Test func removingTheParticipantEndsTheLinkAndItsNumberIsNotReused() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            let oneTime = try await share(database, in: zone)
            let user = RecordDatabase.user("b")
            _ = try await database.links(.recordsAccept, oneTime[0], by: user)
            // Both are removed, and the row that was never used is replaced by a new one-time participant.
            try await save(database, zone, [])
            try await save(database, zone, [Self.invitation])
            let new = try links(try await database.record("S", in: zone))
            for operation in Self.both {
                for link in oneTime {
                    for user in [user, RecordDatabase.user("c")] {
                        let result = try await database.links(operation, link, by: user).results[0]
                        #expect(result["ckErrorCode"] == 11, "\(result)")
                    }
                }
            }
            // A former participant uses the new link, which afterwards belongs to the old row.
            for _ in 0..<2 {
                let result = try await database.links(.recordsAccept, new[0], by: user).results[0]
                #expect(result["participantStatus"] == "ACCEPTED", "\(result)")
            }
            #expect(try await database.record("S", in: zone)["participants"]?.array?.count == 2)
            let other = try await database.links(.recordsAccept, new[0], by: RecordDatabase.user("c")).results[0]
            #expect(other["ckErrorCode"] == 11)
        }
    }

    @Test func aPublicPermissionAndTheEndOfTheShareEndTheLinks() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            let oneTime = try await share(database, in: zone)
            let user = RecordDatabase.user("b")
            try await database.save(
                zone,
                database.share(
                    "update", "S", of: nil, tag: try await database.tag("S", in: zone), permission: "READ_ONLY"))
            #expect(try await database.links(.recordsAccept, oneTime[0], by: user).results[0]["ckErrorCode"] == 11)
            try await database.save(
                zone,
                database.share(
                    "update", "S", of: nil, tag: try await database.tag("S", in: zone), permission: "NONE",
                    participants: [Self.invitation]))
            let new = try links(try await database.record("S", in: zone))
            try await database.save(zone, database.operation("delete", "S"))
            for operation in Self.both {
                #expect(try await database.links(operation, new[0], by: user).results[0]["ckErrorCode"] == 11)
            }
        }
    }

    @Test func oneTimeParticipantsCountTowardsTheLimit() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            _ = try await share(database, in: zone)
            var limits = Limits()
            limits.maxParticipants = 3
            let list = try #require(try await database.record("S", in: zone)["participants"]?.array)
            let codes = try await database.codes(
                zone, limits: limits,
                database.share(
                    "update", "S", of: nil, tag: try await database.tag("S", in: zone),
                    participants: list + [Self.invitation]))
            #expect(codes == [29])
        }
    }
}
