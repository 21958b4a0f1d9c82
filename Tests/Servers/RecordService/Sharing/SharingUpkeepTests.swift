import CloudKitModel
import CloudKitWire
import PostgresClient
import ServiceMessages
import Testing

@testable import RecordService
@testable import RecordStorage

/// What the storage of shares costs, and the jobs that keep it.
@Suite(.enabled(if: RecordDatabase.serverURL != nil), .timeLimit(.minutes(5)))
struct SharingUpkeepTests {
    /// Returns the plan of a statement if the tables were large.
    private static func plan(_ call: PostgresCall, _ database: RecordDatabase) async throws -> String {
        try await database.pool.withTransaction { connection in
            try await connection.execute(
                script: "set local enable_seqscan = off; set local enable_bitmapscan = off; set local enable_sort = off"
            )
            let rows = try await connection.query(
                PostgresStatement("explain (costs off) " + call.statement.sql), call.parameters)
            return rows.map { $0.string(0) }.joined(separator: "\n")
        }
    }

    @Test func aPageBeginsAtItsPlaceInTheIndex() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            let access = ShareAccess(
                shares: [.init(id: ShareID(1), isOfZone: false, permission: .readOnly, since: 3)],
                lost: [.init(id: ShareID(2), since: 2, until: 4)])
            let feed = SharedFeedTable(zone.database.environment, zone.row, access)
            let position = SharedPosition(seq: 3, recordSeq: 2, name: "r")
            for descends in [false, true] {
                let range = SharedFeedRange(after: position, descends: descends, horizon: 0)
                let members = try await Self.plan(feed.members(in: range, limit: 5, maxBytes: 100), database)
                let gone = try await Self.plan(feed.gone(in: range, limit: 5), database)
                for plan in [members, gone] {
                    #expect(
                        plan.split(separator: "\n").contains {
                            $0.contains("Index Cond") && $0.contains("ROW(share_seq, name) > ROW(")
                                && $0.contains("ROW(share_seq, name) < ROW(")
                        }, "\(plan)")
                }
                #expect(members.contains("Tid"), "\(members)")
                #expect(
                    gone.split(separator: "\n").contains {
                        $0.contains("Index Cond") && $0.contains("ROW(seq, name) > ROW(")
                            && $0.contains("ROW(seq, name) < ROW(")
                    }, "\(gone)")
            }
        }
    }

    @Test func accessIsFoundByTheUser() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            try await database.query(
                """
                insert into record.share (environment, zone, id, name, root, public_permission)
                select $1, $2, n, 'S' || n, 'r' || n, 1 from generate_series(1, 50) n
                """, [.int4(zone.database.environment.rawValue), .int8(zone.row.rawValue)])
            try await database.query(
                """
                insert into record.participant
                    (environment, zone, share, id, user_name, role, permission, status, since_seq)
                select $1, $2, s, n, '_' || n, 3, 2, case when n = 7 then 1 else 2 end, 5
                from generate_series(1, 50) s, generate_series(1, 50) n
                """, [.int4(zone.database.environment.rawValue), .int8(zone.row.rawValue)])
            try await database.superuser.withConnection { try await $0.execute(script: "analyze record.participant") }
            let plan = try await Self.plan(ShareAccessTable.read(of: "_9", in: zone.row), database)
            #expect(plan.contains("participant_access"), "\(plan)")
            let zones = try await Self.plan(
                ShareAccessTable.zones(of: "_7", in: zone.database.environment, named: nil, limit: 5), database)
            #expect(zones.contains("participant_accepted"), "\(zones)")
        }
    }

    @Test func aZoneHasOneJobThatEmptiesItsShares() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            let jobs = { try await database.query("select from record.job where kind = 'share.empty'").count }
            for round in 0..<2 {
                for name in ["a", "b", "c"] {
                    try await database.save(zone, database.operation("forceReplace", name))
                    try await database.save(zone, database.share("create", "S.\(name)", of: name))
                }
                for name in ["a", "b", "c"] {
                    try await database.save(zone, database.operation("delete", "S.\(name)"))
                }
                #expect(try await jobs() == 1, "\(round)")
                try await database.reclaim(retention: .seconds(3600))
                #expect(try await jobs() == 0)
                #expect(try await database.query("select from record.share where not is_empty").isEmpty)
                let left = try await database.query("select from record.record where share is not null")
                #expect(left.isEmpty)
            }
        }
    }

    @Test func theJobThatEmptiesSharesLeavesADeletedZoneAlone() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            try await database.save(
                zone, database.operation("create", "list"), database.share("create", "S", of: "list"))
            try await database.save(zone, database.operation("delete", "S"))
            try await database.query("update record.zone set deleted_at = now()")
            try await database.reclaim(retention: .seconds(3600))
            #expect(try await database.query("select from record.job where kind = 'share.empty'").isEmpty)
            #expect(try await database.query("select from record.departure").isEmpty)
        }
    }

    @Test func departuresWithoutAZoneDoNotDelayThePurge() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            let environment = PostgresParameter.int4(zone.database.environment.rawValue)
            try await database.query(
                """
                insert into record.departure (environment, zone, share, seq, name, since, left_at)
                select $1, 999999, 1, n, 'd', 1, now() - interval '3 hours' from generate_series(1, 1500) n
                """, [environment])
            try await database.query(
                """
                insert into record.departure (environment, zone, share, seq, name, since, left_at)
                values ($1, $2, 1, 1, 'd', 1, now() - interval '2 hours')
                """, [environment, .int8(zone.row.rawValue)])
            try await database.purgeTombstones(retention: .seconds(3600))
            #expect(try await database.query("select from record.departure").isEmpty)
        }
    }

    @Test func anInterruptedIndexOfSharesIsDroppedAndBuiltAgain() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            let environment = zone.database.environment
            let table = environment.recordTable
            try await database.superuser.withConnection {
                try await $0.execute(
                    script: """
                        drop index record.record_shared;
                        create index record_shared on only record.record (environment, zone, share, share_seq, name)
                            where share is not null;
                        create index record_\(environment.rawValue)_shared on \(table)
                            (environment, zone, share, share_seq, name) where share is not null;
                        update pg_index set indisvalid = false
                            where indexrelid = 'record.record_\(environment.rawValue)_shared'::regclass;
                        """)
            }
            try await database.query(
                "insert into record.job (kind, arguments) values ('sharing.index', jsonb_build_object('environment', $1::int4))",
                [.int4(environment.rawValue)])
            let attached = {
                try await database.query(
                    """
                    select from pg_inherits h join pg_index i on i.indexrelid = h.inhrelid
                    where h.inhparent = 'record.record_shared'::regclass and i.indisvalid
                    """
                ).count
            }
            try await database.buildIndexes()
            #expect(try await attached() == 1)
            #expect(try await database.query("select from record.job where kind = 'sharing.index'").isEmpty)
        }
    }
}
