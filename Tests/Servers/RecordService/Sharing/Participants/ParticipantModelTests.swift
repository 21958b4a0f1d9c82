import CloudKitModel
import CloudKitWire
import PostgresClient
import ServiceMessages
import TestGenerators
import Testing

@testable import RecordService
@testable import RecordStorage

/// Participants and the owner write at random. No act of a participant changes a record that the participant may not
/// write, deletes a root, or puts a record into the wrong share.
@Suite(.enabled(if: RecordDatabase.serverURL != nil), .timeLimit(.minutes(5)))
struct ParticipantModelTests {
    private static let names = (0..<10).map { "r\($0)" }
    private static let kinds = [
        "create", "update", "replace", "delete", "forceUpdate", "forceReplace", "forceDelete",
    ]

    /// The tags of the live records, each with the name of its share, and whether it is a root.
    private struct Snapshot: Equatable {
        var tags: [String: String] = [:]
        var shares: [String: String] = [:]
        var roots: Set<String> = []

        init(_ database: RecordDatabase, _ zone: ZoneEntry) async throws {
            let rows = try await database.query(
                PostgresStatement(
                    """
                    select r.name, r.change_tag, coalesce(s.name, ''), s.root is not null and s.root = r.name
                    from \(zone.database.environment.recordTable) r
                    left join record.share s on s.zone = r.zone and s.id = r.share and s.ended_seq is null
                    where r.zone = $1 and r.fields is not null
                    """), [.int8(zone.row.rawValue)])
            for row in rows {
                tags[row.string(0)] = row.string(1)
                shares[row.string(0)] = row.string(2)
                if row.bool(3) { roots.insert(row.string(0)) }
            }
        }
    }

    private static func operation(
        _ database: RecordDatabase, _ generator: inout SeededGenerator, kinds: [String]
    ) -> JSONValue {
        let kind = kinds.randomElement(using: &generator)!
        let name = names.randomElement(using: &generator)!
        var fields: [String: JSONValue] = ["n": .int(Int64.random(in: 0..<1000, using: &generator))]
        let action = ["DELETE_SELF", "DELETE_SELF", "VALIDATE", nil, nil, nil].randomElement(using: &generator)!
        if let action, !kind.lowercased().contains("delete") {
            let target = (names + ["A", "B"]).randomElement(using: &generator)!
            fields["r"] = ["recordName": .string(target), "action": .string(action)]
        }
        let parent = Bool.random(using: &generator) ? (names + ["A"]).randomElement(using: &generator) : nil
        return database.operation(kind, name, fields, parent: parent)
    }

    @Test(arguments: 1...8 as ClosedRange<UInt64>)
    func noActOfAParticipantChangesWhatIsNotTheirs(seed: UInt64) async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            let writer = SharedReader(database, "b")
            var generator = SeededGenerator(seed: seed)
            var (saved, log): (Int, [String]) = (0, [])
            try await database.save(
                zone, database.operation("create", "r0"), database.operation("create", "r1", parent: "r0"),
                database.operation("create", "r2"), database.operation("create", "r3", parent: "r2"),
                database.operation("create", "r4", parent: "r3"), database.operation("create", "r5"))
            for (share, root, permission) in [("A", "r0", "READ_WRITE"), ("B", "r2", "READ_ONLY")] {
                let participants = [RecordDatabase.participant(writer.user, permission)]
                try await database.save(zone, database.share("create", share, of: root, participants: participants))
                try await writer.accept(share, in: zone)
            }
            var limits = Limits()
            limits.maxCascade = 4
            for _ in 0..<60 {
                if Int.random(in: 0..<3, using: &generator) == 0 {
                    let operation = Self.operation(
                        database, &generator, kinds: ["forceUpdate", "forceUpdate", "forceReplace", "delete"])
                    log.append("owner \(String(decoding: operation.encoded(), as: UTF8.self))")
                    _ = try await database.codes(zone, limits: limits, operation)
                    continue
                }
                let before = try await Snapshot(database, zone)
                let operations = (0..<Int.random(in: 1...3, using: &generator)).map { _ in
                    Self.operation(database, &generator, kinds: Self.kinds)
                }
                let request = try writer.request(
                    zone, operations, atomic: Bool.random(using: &generator))
                let names = Set(request.body.operations.compactMap(\.record.recordName))
                // A request names each record once.
                guard names.count == operations.count else { continue }
                let answer = try await database.write(request, limits: limits).answers[0]
                log.append("\(String(decoding: JSONValue.array(operations).encoded(), as: UTF8.self))")
                if answer["ckErrorCode"]?.int == 26 { break }
                let after = try await Snapshot(database, zone)
                for (name, tag) in before.tags where before.shares[name] != "A" {
                    #expect(after.tags[name] == tag, "\(name) was changed by \(log)")
                    #expect(after.shares[name] == before.shares[name], "\(name) was moved by \(log)")
                }
                #expect(after.roots == before.roots, "\(log)")
                for name in after.tags.keys where before.tags[name] == nil {
                    #expect(after.shares[name] == "A", "\(name) was created by \(log)")
                }
                for (name, share) in before.shares where share == "A" && after.tags[name] != nil {
                    #expect(after.shares[name] == "A", "\(name) was taken out by \(log)")
                }
                saved += (answer["records"]?.array ?? []).count { $0["serverErrorCode"] == nil }
                _ = try await database.members(of: zone)
            }
            #expect(saved > 0, "\(log)")
        }
    }
}
