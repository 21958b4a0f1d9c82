import CloudKitModel
import PostgresClient
import TestSupport
import Testing

@testable import RecordService
@testable import RecordStorage

/// The checker of memberships, given rows that were damaged on purpose.
@Suite(.enabled(if: RecordDatabase.serverURL != nil), .timeLimit(.minutes(5)))
struct ZoneMembershipTests {
    /// A damage, with the beginning of the sentence that must report it. `R` stands for the table of records.
    static let damages: [(sql: String, problem: String)] = [
        (
            "update R set share = null, share_seq = null, share_since = null where name = 'a.1'",
            "a.1 is stored in no share"
        ),
        ("update R set share = (select id from record.share where name = 'P') where name = 'a'", "a is stored in P"),
        ("update R set share = 12345 where name = 'list'", "list is stored in no share"),
        ("update R set parent = 'a' where name = 'b'", "b is stored in no share"),
        ("update R set parent = 'q.1' where name = 'box'", "box is not found by its parent q.1"),
        ("update R set share_seq = 1 where name = 'a'", "a changed at"),
        ("delete from record.reference where source = 'a.1'", "a.1 is not found by its parent a"),
        ("update R set fields = null where name = 'S'", "share S is live"),
        ("update record.zone set sharing = 0 where name = 'Z'", "the zone's sharing is 0"),
    ]

    @Test(arguments: damages) func theCheckerFindsDamage(_ damage: (sql: String, problem: String)) async throws {
        try await SharedScene.with { scene in
            let database = scene.database
            #expect(try await database.members(of: scene.zone).keys.sorted() == ["B", "P", "S"])
            let table = scene.zone.database.environment.recordTable
            try await database.query(PostgresStatement(damage.sql.replacing("R set", with: "\(table) set")))
            let membership = try await ZoneMembership(ofRow: scene.zone.row.rawValue) {
                try await database.query($0, $1)
            }
            #expect(membership.problems.contains { $0.hasPrefix(damage.problem) }, "\(membership.problems)")
        }
    }

    @Test func aSoundZoneHasNoProblems() async throws {
        try await SharedScene.with { scene in
            let query: ZoneMembership.Query = { try await scene.database.query($0, $1) }
            let owner = RecordDatabase.user
            let membership = try await ZoneMembership(ofZone: "Z", owner: owner, query: query)
            #expect(membership.problems == [] && membership.isSettled)
            #expect(membership.members["S"] == ["S", "list", "a", "a.1"])
            #expect(try await ZoneMembership(ofZone: "None", owner: owner, query: query).members.isEmpty)
        }
    }
}
