import CloudKitModel
import CloudKitWire
import Foundation
import PostgresClient
import ServiceMessages
import Testing

@testable import RecordService
@testable import RecordStorage

/// The shares that events name, and the audiences of these shares.
@Suite(.enabled(if: RecordDatabase.serverURL != nil), .timeLimit(.minutes(5)))
struct AudienceTests {
    private static let ann = RecordDatabase.user("b")
    private static let bob = RecordDatabase.user("c")

    /// Saves a list that is shared with two users, both of whom accept, and a record that is not shared.
    private func with(_ body: @escaping @Sendable (RecordDatabase, ZoneEntry) async throws -> Void) async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            let saved = try await database.save(
                zone, database.operation("create", "list"), database.operation("create", "item", parent: "list"),
                database.operation("create", "hidden"),
                database.share(
                    "create", "S", of: "list",
                    participants: [RecordDatabase.participant(Self.ann), RecordDatabase.participant(Self.bob)]))
            let link = try #require(saved[3]["shortGUID"])
            for user in [Self.ann, Self.bob] {
                let accepted = try await database.links(.recordsAccept, link, by: user)
                #expect(accepted.results[0]["participantStatus"] == "ACCEPTED")
            }
            try await body(database, zone)
        }
    }

    /// The event of a request.
    private func event(
        _ database: RecordDatabase, _ zone: ZoneEntry, _ operations: JSONValue...
    ) async throws -> ChangeEvent {
        let (answers, events) = try await database.write(try database.request(zone, operations, atomic: true))
        #expect(answers[0]["serverErrorCode"] == nil, "\(answers)")
        #expect(events.count == 1)
        return try #require(events.first)
    }

    /// The changed records of an event, each with its share before and after.
    private func shares(_ event: ChangeEvent) throws -> [String: String] {
        Dictionary(
            uniqueKeysWithValues: try #require(try event.changedRecords()).map { record in
                let (before, after) = (record.shares?.before != nil, record.shares?.after != nil)
                let below = record.shares?.movesBelow == true ? " below" : ""
                return (record.name.rawValue, "\(before ? "in" : "out") \(after ? "in" : "out")\(below)")
            })
    }

    private func audience(
        _ database: RecordDatabase, _ zone: ZoneEntry, _ share: Int64?, from seq: Int64 = 0
    ) async throws -> [(user: String, version: Int64, since: Int64, until: Int64?)] {
        let answer = try await database.ask(
            .sharesAudience,
            [
                "incarnation": .string(zone.incarnation.uuidString), "fromSeq": .int(seq),
                "shares": share.map { [.int($0)] } ?? .null,
            ])
        return try #require(answer["participants"]?.array, "\(answer)").map { row in
            (
                try #require(row[2]?.string), try #require(row[1]?.int), try #require(row[3]?.int), row[4]?.int
            )
        }
    }

    @Test func eventsNameTheSharesOfTheirRecords() async throws {
        try await with { database, zone in
            let changed = try await event(
                database, zone, database.operation("forceUpdate", "item", parent: "list"),
                database.operation("forceUpdate", "hidden"))
            #expect(try shares(changed) == ["item": "in in", "hidden": "out out"])
            #expect(changed.shares?.versions.count == 1)
            let hidden = try await event(database, zone, database.operation("forceUpdate", "hidden"))
            #expect(hidden.shares == nil)
            #expect(try shares(hidden) == ["hidden": "out out"])
            // The list of records is the same as in the log.
            let log = try await database.ask(
                .changesLog,
                ["incarnation": .string(zone.incarnation.uuidString), "afterSeq": .int(changed.fromSeq - 1)])
            let logged = try #require(log["events"]?.array).map { try ChangeEvent($0) }
            #expect(try logged.first?.changedRecords() == changed.changedRecords())
        }
    }

    @Test func movesBetweenSharesNameBoth() async throws {
        try await with { database, zone in
            try await database.save(
                zone, database.operation("create", "other"), database.operation("create", "a", parent: "item"),
                database.share("create", "T", of: "other", participants: []))
            let moved = try await event(database, zone, database.operation("forceUpdate", "item", parent: "other"))
            #expect(try shares(moved) == ["item": "in in below"])
            let record = try #require(try moved.changedRecords()?.first)
            #expect(record.shares?.before != record.shares?.after)
            #expect(moved.shares?.versions.count == 2)
            let deleted = try await event(database, zone, database.operation("forceDelete", "a"))
            #expect(try shares(deleted) == ["a": "in out"])
        }
    }

    @Test func audienceKnowsWhoGainedAndWhoLostAccess() async throws {
        try await with { database, zone in
            let first = try await event(database, zone, database.operation("forceUpdate", "item", parent: "list"))
            let share = try #require(first.shares?.versions.keys.first)
            let both = try await audience(database, zone, share)
            #expect(Set(both.map(\.user)) == [Self.ann, Self.bob])
            #expect(both.allSatisfy { $0.until == nil && $0.since < first.fromSeq })
            #expect(Set(both.map(\.version)) == [first.shares?.versions[share]])
            let removal = try await event(
                database, zone,
                database.share(
                    "update", "S", of: nil, tag: try await database.tag("S", in: zone),
                    participants: [RecordDatabase.participant(Self.ann)]))
            #expect(try shares(removal) == ["S": "in in"])
            let version = try #require(removal.shares?.versions[share])
            #expect(version > both[0].version)
            let later = try await event(database, zone, database.operation("forceUpdate", "item", parent: "list"))
            #expect(later.shares?.versions[share] == version)
            // Who lost access by a change is in the audience of that change, and in none of a later one.
            let lost = try await audience(database, zone, share, from: removal.fromSeq)
            #expect(lost.first { $0.user == Self.bob }?.until == removal.toSeq)
            #expect(try await audience(database, zone, share, from: later.fromSeq).map(\.user) == [Self.ann])
            let ended = try await event(database, zone, database.operation("forceDelete", "S"))
            #expect(try shares(ended)["S"] == "in out")
            let left = try await audience(database, zone, share, from: ended.fromSeq)
            #expect(left.map(\.user) == [Self.ann])
            #expect(left.allSatisfy { $0.until.map { $0 >= ended.fromSeq && $0 <= ended.toSeq } ?? false })
            #expect(try await audience(database, zone, share, from: ended.toSeq + 1).isEmpty)
        }
    }

    /// Saves the share with the permissions of both participants.
    private func permit(
        _ database: RecordDatabase, _ zone: ZoneEntry, ann: String = "READ_WRITE", bob: String
    ) async throws -> ChangeEvent {
        try await event(
            database, zone,
            database.share(
                "update", "S", of: nil, tag: try await database.tag("S", in: zone),
                participants: [RecordDatabase.participant(Self.ann, ann), RecordDatabase.participant(Self.bob, bob)]))
    }

    @Test func aPermissionThatIsRevokedEndsAccessAsARemovalDoes() async throws {
        try await with { database, zone in
            let revoked = try await permit(database, zone, bob: "NONE")
            let share = try #require(revoked.shares?.versions.keys.first)
            let lost = try await audience(database, zone, share, from: revoked.fromSeq)
            #expect(lost.first { $0.user == Self.bob }?.until == revoked.toSeq)
            #expect(lost.first { $0.user == Self.ann }?.until == nil)
            let later = try await event(database, zone, database.operation("forceUpdate", "item", parent: "list"))
            #expect(try await audience(database, zone, share, from: later.fromSeq).map(\.user) == [Self.ann])
            let restored = try await permit(database, zone, bob: "READ_ONLY")
            #expect(restored.shares?.versions[share] ?? 0 > revoked.shares?.versions[share] ?? 0)
            let both = try await audience(database, zone, share, from: restored.fromSeq)
            #expect(both.first { $0.user == Self.bob }?.since == restored.toSeq)
            // The end of the share is not the change by which a user without access lost it.
            _ = try await permit(database, zone, bob: "NONE")
            let ended = try await event(database, zone, database.operation("forceDelete", "S"))
            #expect(try await audience(database, zone, share, from: ended.fromSeq).map(\.user) == [Self.ann])
        }
    }

    @Test func aLargeAudienceIsReadInPagesThatHaveABound() async throws {
        try await with { database, zone in
            let first = try await event(database, zone, database.operation("forceUpdate", "item", parent: "list"))
            let share = try #require(first.shares?.versions.keys.first)
            // Half of the users lost access before the change. They are left out, but the pages count them.
            try await database.query(
                """
                insert into record.participant (environment, zone, share, id, user_name, role, permission, status,
                    since_seq, until_seq)
                select environment, zone, share, 100 + n, '_' || lpad(n::text, 32, '0'), 4, 2,
                    case when n % 2 = 0 then 2 else 3 end, 1, case when n % 2 = 1 then 2 end
                from record.participant, generate_series(1, 1400) n where zone = $1 and role = 1
                """, [.int8(zone.row.rawValue)])
            try await database.query("update record.share set public_permission = 2")
            for shares in [[.int(share)], .null] as [JSONValue] {
                var (users, sizes, after) = ([String](), [Int](), JSONValue.null)
                repeat {
                    let answer = try await database.ask(
                        .sharesAudience,
                        [
                            "incarnation": .string(zone.incarnation.uuidString), "fromSeq": .int(first.fromSeq),
                            "shares": shares, "after": after,
                        ])
                    let rows = try #require(answer["participants"]?.array, "\(answer)")
                    users += rows.compactMap { $0[2]?.string }
                    sizes.append(rows.count)
                    after = answer["after"] ?? .null
                } while !after.isNull
                #expect(sizes == [250, 250, 202])
                #expect(users == users.sorted() && Set(users).count == 702)
            }
        }
    }

    @Test func aZoneThatIsSharedAsAWholeNamesItsShareOnce() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            let saved = try await database.save(
                zone, database.operation("create", "a"),
                database.share(
                    "create", "cloudkit.zoneshare", of: nil, participants: [RecordDatabase.participant(Self.ann)]))
            let link = try #require(saved[1]["shortGUID"])
            _ = try await database.links(.recordsAccept, link, by: Self.ann)
            let changed = try await event(database, zone, database.operation("forceUpdate", "a"))
            let share = try #require(changed.shares?.zone)
            #expect(changed.shares?.versions.keys.contains(share) == true)
            #expect(try shares(changed) == ["a": "out out"])
            #expect(try await audience(database, zone, share).map(\.user) == [Self.ann])
            #expect(try await audience(database, zone, nil).map(\.user) == [Self.ann])
            let log = try await database.ask(
                .changesLog,
                ["incarnation": .string(zone.incarnation.uuidString), "afterSeq": .int(changed.fromSeq - 1)])
            #expect(log["events"]?[0]?["shares"]?["zone"]?.int == share)
        }
    }

    @Test func mergedEventsNameTheSharesThatTheyTouched() async throws {
        try await with { database, zone in
            let changed = try await event(database, zone, database.operation("forceUpdate", "item", parent: "list"))
            let share = try #require(changed.shares?.versions.keys.first)
            _ = try await event(database, zone, database.operation("forceUpdate", "hidden"))
            try await database.query("delete from record.change")
            func merged(after seq: Int64) async throws -> ChangeEvent {
                let log = try await database.ask(
                    .changesLog,
                    ["incarnation": .string(zone.incarnation.uuidString), "afterSeq": .int(seq)])
                return try ChangeEvent(try #require(log["events"]?[0], "\(log)"))
            }
            #expect(try await merged(after: changed.fromSeq - 1).shares?.unlisted == [share])
            #expect(try await merged(after: changed.toSeq).shares == nil)
        }
    }

    /// The share has changed again since, so its record does not show that the earlier changes affected it.
    @Test func mergedEventsNameTheSharesWhoseParticipantsGainedOrLostAccess() async throws {
        try await with { database, zone in
            let revoked = try await permit(database, zone, bob: "NONE")
            let share = try #require(revoked.shares?.versions.keys.first)
            let restored = try await permit(database, zone, bob: "READ_ONLY")
            let again = try await permit(database, zone, bob: "NONE")
            let changed = try await permit(database, zone, ann: "READ_ONLY", bob: "NONE")
            for event in [revoked, restored, again] {
                try await database.query(
                    "delete from record.change where to_seq between $1 and $2",
                    [.int8(event.fromSeq), .int8(event.toSeq)])
                let log = try await database.ask(
                    .changesLog,
                    ["incarnation": .string(zone.incarnation.uuidString), "afterSeq": .int(event.fromSeq - 1)])
                let merged = try ChangeEvent(try #require(log["events"]?[0], "\(log)"))
                #expect(merged.isMerged && merged.toSeq == event.toSeq && merged.toSeq < changed.fromSeq)
                #expect(merged.shares?.unlisted == [share])
            }
        }
    }

    @Test func zonesWithoutSharesSaveAsBefore() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            let changed = try await event(database, zone, database.operation("create", "a"))
            #expect(changed.shares == nil)
            let text = String(decoding: changed.json(bounded: true), as: UTF8.self)
            #expect(!text.lowercased().contains("share") && !text.contains("movesBelow"))
        }
    }
}
