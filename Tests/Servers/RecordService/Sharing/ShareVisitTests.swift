import CloudKitModel
import CloudKitWire
import PostgresClient
import ServiceMessages
import Testing

@testable import RecordService
@testable import RecordStorage

/// Joining, leaving and requesting access in a share with many participants.
@Suite(.enabled(if: RecordDatabase.serverURL != nil), .timeLimit(.minutes(5)))
struct ShareVisitTests {
    private static let members = 5000

    /// Saves a public share that thousands of users have joined, and returns its link.
    private func share(_ database: RecordDatabase, in zone: ZoneEntry) async throws -> JSONValue {
        let saved = try await database.save(
            zone, database.operation("create", "list"),
            database.share("create", "S", of: "list", permission: "READ_ONLY"))
        try await database.query(
            """
            insert into record.participant
                (environment, zone, share, id, user_name, role, permission, status, since_seq)
            select s.environment, s.zone, s.id, n, 'member' || n, 4, 2, 2, 1
            from record.share s cross join generate_series(1, $1::int4) n
            """, [.int4(Int32(Self.members))])
        try await database.query("vacuum analyze record.participant")
        return try #require(saved[1]["shortGUID"])
    }

    @Test func aVisitReadsFewParticipants() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            _ = try await share(database, in: zone)
            let key = RecordKey(zone: zone.row, name: RecordName(unchecked: "S"))
            let table = ShareTable(zone.database.environment)
            for user in ["member17", RecordDatabase.user("b")] {
                for intent in [ShareVisitor.Intent.accept, .requestAccess, .other] {
                    let visitor = ShareVisitor(
                        key: key, user: user, email: "ada@example.org", oneTime: nil, intent: intent)
                    let read = try await RowsRead(of: table.find([visitor]), database)
                    // The users who have joined are counted in an index that contains nothing else, and only for a user
                    // who might join.
                    let joined = read.indexes["participant"]?["participant_public"] ?? 0
                    #expect(joined <= (intent == .accept ? Self.members : 0), "\(read)")
                    #expect(read["participant", except: "participant_public"] <= 8, "\(read)")
                }
            }
            // The lane reads the record of the share without its participants.
            let record = RecordTable(zone.database.environment).read([key], withParticipants: false)
            #expect(try await RowsRead(of: record, database)["participant"] == 0)
        }
    }

    @Test func onlyARequestForAccessReadsOtherRequesters() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            try await database.save(
                zone, database.operation("create", "list"), database.share("create", "S", of: "list"))
            try await database.query("update record.share set allows_requests = true")
            try await database.query(
                """
                insert into record.requester (environment, zone, share, user_name, is_blocked)
                select environment, zone, id, 'user' || n, n > 100 from record.share, generate_series(1, 200) n
                """)
            try await database.query("vacuum analyze record.requester")
            let key = RecordKey(zone: zone.row, name: RecordName(unchecked: "S"))
            let table = ShareTable(zone.database.environment)
            for (user, isPending) in [("user17", true), ("user150", false), (RecordDatabase.user("b"), false)] {
                for intent in [ShareVisitor.Intent.accept, .requestAccess, .other] {
                    let visitor = ShareVisitor(key: key, user: user, email: nil, oneTime: nil, intent: intent)
                    let read = try await RowsRead(of: table.find([visitor]), database)
                    #expect(read["requester"] <= (intent == .requestAccess ? 201 : 1), "\(read)")
                    let results = try await database.pool.withConnection {
                        try await $0.pipeline([table.find([visitor])])
                    }
                    let requests = ShareTable.found(results[0], of: [visitor])[visitor]?.share?.requests
                    #expect(requests?.isPending(user) == isPending)
                    if intent == .requestAccess { #expect(requests?.pendingCount == 100) }
                }
            }
        }
    }

    @Test func aVisitKeepsTheNumbersAndTheSize() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            let link = try await share(database, in: zone)
            let reader = SharedReader(database, "b")
            var limits = Limits()
            limits.maxPublicUsers = Self.members
            let full = try await database.links(.recordsAccept, link, by: reader.user, limits: limits).results[0]
            #expect(full["ckErrorCode"] == 29)
            limits.maxPublicUsers += 1
            let before = try await size(of: zone, database)
            let joined = try await database.links(.recordsAccept, link, by: reader.user, limits: limits).results[0]
            #expect(joined["participantStatus"] == "ACCEPTED", "\(joined)")
            let rows = try await database.query(
                "select id::int8 from record.participant where user_name = $1", [.text(reader.user)])
            #expect(rows.map { $0.int64(0) } == [Int64(Self.members) + 1])
            let after = try await size(of: zone, database)
            #expect(after > before && after - before < 1000)
            // A participant who leaves and joins again keeps the row.
            for _ in 0..<2 {
                #expect(try await reader.codes(zone, database.operation("delete", "S")) == [nil])
                #expect(try await size(of: zone, database) == before)
                let again = try await database.links(.recordsAccept, link, by: reader.user, limits: limits).results[0]
                #expect(again["participantStatus"] == "ACCEPTED", "\(again)")
                #expect(try await size(of: zone, database) == after)
            }
            let count = try await database.query("select count(*) from record.participant where status = 2")
            #expect(count.first?.int64(0) == Int64(Self.members) + 2)
        }
    }

    @Test func severalVisitsInOneBatchAreEachDecidedWithTheirOwnRows() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            let link = try await share(database, in: zone)
            var limits = Limits()
            limits.maxPublicUsers = 10_000
            let results = try await withThrowingTaskGroup(of: JSONValue.self) { [limits] group in
                for digit in "bcdef" {
                    group.addTask {
                        try await database.links(
                            .recordsAccept, link, by: RecordDatabase.user(digit), limits: limits
                        ).results[0]
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(results.allSatisfy { $0["participantStatus"] == "ACCEPTED" }, "\(results)")
            let ids = try await database.query("select id::int8 from record.participant where id > 5000 order by id")
            #expect(ids.map { $0.int64(0) } == Array(5001...5005))
        }
    }

    private func size(of zone: ZoneEntry, _ database: RecordDatabase) async throws -> Int64 {
        let table = zone.database.environment.recordTable
        let rows = try await database.query(PostgresStatement("select size::int8 from \(table) where name = 'S'"))
        return try #require(rows.first?.int64(0))
    }
}
