import CloudKitModel
import CloudKitQuery
import CloudKitWire
import PostgresClient
import TestGenerators
import Testing

@testable import RecordService
@testable import RecordStorage

/// SQL and the evaluation in memory find the same records, with and without indexes.
@Suite(.enabled(if: RecordDatabase.serverURL != nil), .timeLimit(.minutes(10)))
struct AgreementTests {
    private static let keys = ["title", "note", "n", "x", "at", "tags", "scores", "other", "place"]

    @Test func bothEvaluatorsFindTheSame() async throws {
        try await RecordDatabase.with { database in
            var random = RandomPredicates(seed: 4711, vocabulary: .small)
            for zone in ["Z", "Y"] { try await Self.fill(database, zone, &random) }
            let records = try await Self.records(database)
            let environment = try await RecordClient(database: database).environmentRow()
            let type = try #require(try await database.store.schema.latest(environment).type("Photo"))
            let binder = PredicateBinder(type, user: RecordDatabase.user)
            var predicates: [(Predicate, BoundPredicate)] = []
            while predicates.count < 80 {
                let predicate = random.predicate(depth: 2).flattened
                // Some patterns are invalid.
                guard let bound = try? binder.bind(predicate) else { continue }
                predicates.append((predicate, bound))
            }
            for isIndexed in [false, true] {
                if isIndexed { try await database.buildIndexes() }
                for (predicate, bound) in predicates {
                    let expected = records.filter { bound.matches($0) }
                    try await Self.check(database, predicate, expected, isIndexed: isIndexed)
                }
            }
            // All demanded indexes were built.
            let states = try await database.query("select distinct state from record.field_index")
            #expect(states.map { $0.string(0) } == ["ready"])
        }
    }

    private static func check(
        _ database: RecordDatabase, _ predicate: Predicate, _ expected: [StoredQueryRecord], isIndexed: Bool
    ) async throws {
        let query = Query(recordType: "Photo", predicate: predicate)
        for zone in ["Z", "Y"] {
            let scope = QueryScope(zoneID: ZoneID(zoneName: ZoneName(unchecked: zone)))
            let found = try await database.find(query, scope, 1000)
            let names = expected.filter { $0.zoneName == zone }.map(\.recordName).sorted()
            #expect(found.names == names, "\(predicate.format), indexed: \(isIndexed): \(found)")
        }
        let everywhere = try await database.find(query, QueryScope(zoneWide: true), 1000)
        #expect(everywhere.names.sorted() == expected.map(\.recordName).sorted(), "\(predicate.format): \(everywhere)")
    }

    private static func fill(
        _ database: RecordDatabase, _ name: String, _ random: inout RandomPredicates
    ) async throws {
        let zone = try await database.zone(name)
        // These records extend the schema with all fields. In `Y`, some records have parents.
        var operations: [JSONValue] = []
        for number in 0..<60 {
            var fields: [JSONValue.Member] = []
            for key in keys where number < 2 || random.below(10) < 6 {
                fields.append(.init(key, random.field(key)))
            }
            operations.append([
                "operationType": "create",
                "record": .object([
                    .init("recordName", .string("r\(number)")), .init("recordType", "Photo"),
                    .init("fields", .object(fields)),
                ]),
            ])
        }
        for first in stride(from: 0, to: operations.count, by: 20) {
            let request = try database.request(zone, Array(operations[first..<(first + 20)]))
            let answers = try await database.write(request).answers
            #expect(answers[0]["records"]?.array?.allSatisfy { $0["serverErrorCode"] == nil } == true, "\(answers)")
        }
    }

    /// Returns all records as they are stored.
    private static func records(_ database: RecordDatabase) async throws -> [StoredQueryRecord] {
        var records: [StoredQueryRecord] = []
        for name in ["Z", "Y"] {
            let zone = try await database.zone(name)
            let keys = (0..<60).map { RecordKey(zone: zone.row, name: "r\($0)") }
            let result = try await database.pool.withConnection {
                try await $0.pipeline([RecordTable(zone.database.environment).read(keys)])[0]
            }
            records += try RecordTable.records(result).map { StoredQueryRecord(record: $0.record, zoneName: name) }
        }
        return records
    }
}

extension RandomPredicates {
    /// Returns a field value dictionary of the type of the field `key`.
    fileprivate mutating func field(_ key: String) -> JSONValue {
        switch key {
        case "tags", "scores":
            let list = (0..<below(4)).map { _ in value(of: .field(key)) }
            return Self.wire(.list(list, of: key == "tags" ? .string : .int64))
        case "other":
            // A record never refers to another zone.
            return Self.wire(.reference(Reference(recordName: pick(["r0", "r1", "r2"]))))
        default: return Self.wire(value(of: .field(key)))
        }
    }

    private static func wire(_ value: FieldValue) -> JSONValue {
        var writer = WireWriter()
        writer.bareValue(value)
        let json = (try? JSONValue(parsing: writer.bytes)) ?? nil
        return ["value": json, "type": .string(value.type?.wireName ?? "STRING_LIST")]
    }
}
