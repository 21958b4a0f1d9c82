import CloudKitModel
import CloudKitQuery
import CloudKitWire
import ServiceMessages
import TestGenerators
import Testing

@testable import SubscriptionService
@testable import SubscriptionStorage

/// Subscriptions match the right records, and are found by the records' terms.
struct QueryMatchingTests {
    private static let types: [(name: String, type: FieldType)] = [
        ("title", .string), ("note", .string), ("n", .int64), ("x", .double), ("at", .timestamp),
        ("tags", .list(.string)), ("scores", .list(.int64)), ("other", .reference), ("place", .location),
    ]

    private struct Note: QueryableType {
        var name: String { "Note" }
        func type(ofField name: String) -> FieldType? { types.first { $0.name == name }?.type }
        var fieldsOfWords: [SearchableField] {
            types.filter { $0.type.base == .string }.map { SearchableField(name: $0.name, type: $0.type) }
        }
    }

    /// Returns a record with some of the fields.
    private func record(_ random: inout RandomPredicates) throws -> EventRecord {
        var fields: [JSONValue.Member] = []
        for (name, type) in Self.types where random.below(4) > 0 {
            let value =
                type.isList
                ? FieldValue.list((0..<random.below(3)).map { _ in random.value(of: .field(name)) }, of: type.base)
                : random.value(of: .field(name))
            guard type.isList || value.type == type else { continue }
            var writer = WireWriter()
            writer.bareValue(value)
            let list = type.isList ? "\(type.base.wireName)_LIST" : "\(type.base.wireName)"
            fields.append(
                JSONValue.Member(name, ["value": try JSONValue(parsing: writer.bytes), "type": .string(list)]))
        }
        let stamp: JSONValue = ["timestamp": .int(random.int64() & 3), "userRecordName": "r1"]
        let change = ChangedRecord(
            name: random.pick(["r0", "r1", "r2", "r3"]), type: "Note", seq: 1, kind: .created,
            record: [
                "recordName": "r", "recordType": "Note", "fields": .object(fields), "created": stamp,
                "modified": stamp,
            ])
        return try #require(try EventRecord(change, zone: "Z"))
    }

    /// The predicate is stored in the database as text, and is later bound to the types of the records.
    @Test func aSubscriptionMatchesWhatAQueryFindsAndIsFoundByItsTerms() throws {
        var random = RandomPredicates(seed: 8, vocabulary: .small)
        let predicates = PredicateCache()
        var (matches, found) = (0, 0)
        for _ in 0..<4000 {
            let predicate = random.predicate(depth: 2).flattened
            guard let bound = try? PredicateBinder(Note(), user: "r1").bind(predicate),
                let again = try? Predicate(format: predicate.format, now: 0), again == predicate
            else { continue }
            let term = EqualityTerm(of: predicate, user: "r1")
            for _ in 0..<4 {
                let record = try record(&random)
                let isMatch = bound.matches(record)
                #expect(
                    predicates.matches(predicate.format, record, user: "r1", environment: 1) == isMatch,
                    "\(predicate.format) on \(record)")
                guard isMatch else { continue }
                matches += 1
                #expect(
                    EqualityTerm.terms(of: record, keys: [term.key]).contains(term), "\(predicate.format) on \(record)")
                if term != .none { found += 1 }
            }
        }
        #expect(matches > 1000)
        #expect(found > 50)
    }

    @Test(
        arguments: [
            ("folder == 'inbox'", true), ("size > 3 AND folder == 'inbox'", true), ("recordID == 'n1'", true),
            ("creatorUserRecordID == '__defaultOwner__'", true), ("folder ==[c] 'inbox'", false),
            ("folder == 'inbox' OR size > 3", false), ("NOT folder == 'inbox'", false), ("TRUEPREDICATE", false),
            ("folder != 'inbox'", false),
        ])
    func theEqualityThatEveryMatchMeetsIsFound(format: String, hasTerm: Bool) throws {
        let term = EqualityTerm(of: try Predicate(format: format, now: 0), user: "_u")
        #expect((term != .none) == hasTerm)
    }

    @Test func ownRecordsAreFoundByTheUsersName() throws {
        let term = EqualityTerm(
            of: try Predicate(format: "creatorUserRecordID == '__defaultOwner__'", now: 0), user: "_u")
        let change = ChangedRecord(
            name: "r", type: "Note", seq: 1, kind: .created,
            record: ["fields": [:], "created": ["timestamp": 1, "userRecordName": "_u"]])
        let record = try #require(try EventRecord(change, zone: "Z"))
        #expect(EqualityTerm.terms(of: record, keys: [term.key]) == [term])
    }

    @Test func aPredicateThatTheValuesDoNotFitAnyMoreMatchesNothing() throws {
        let change = ChangedRecord(
            name: "r", type: "Note", seq: 1, kind: .updated,
            record: ["fields": ["folder": ["value": 3, "type": "INT64"]]])
        let record = try #require(try EventRecord(change, zone: "Z"))
        #expect(!PredicateCache().matches("folder == 'inbox'", record, user: "_u", environment: 1))
        #expect(PredicateCache().matches("folder == 3", record, user: "_u", environment: 1))
        #expect(!PredicateCache().matches("nonsense ==", record, user: "_u", environment: 1))
    }
}
