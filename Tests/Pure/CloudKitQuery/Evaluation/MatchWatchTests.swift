import CloudKitModel
import Testing

@testable import CloudKitQuery

struct MatchWatchTests {
    /// A record with only short texts.
    private static let record = TestRecord(values: [
        "title": .string("aaaaaaaa"), "note": .string(String(repeating: "word ", count: 400)),
        "tags": .list(.string, Array(repeating: .string("a"), count: 65_533) + ["b", "c", "d"].map { .string($0) }),
    ])

    @Test(
        arguments: [
            ("NOT ANY tags MATCHES '(a?){160}e'", 1), ("NOT title MATCHES '(a?){160}e'", 256),
            ("NOT ANY tags == 'e'", 1), ("NOT ANY tags BEGINSWITH[c] 'e'", 1), ("NOT ANY tags IN {'e', 'f'}", 1),
            ("NOT ANY tags ==[c] 'e'", 1), ("tags CONTAINS {'b', 'c', 'd'}", 1), ("NOT title == 'e'", 256 * 20),
            ("NOT note CONTAINS 'e'", 256), ("NOT self CONTAINS 'absent'", 256), ("tags != nil", 3),
        ])
    func anEndedDeadlineStopsTheEvaluationOfOneRecordWhereverItsStepsAre(format: String, count: Int) throws {
        let comparison = try PredicateBinder(WordyType(), user: "_me").bind(Predicate(format: format, now: 0))
        let predicate = BoundPredicate.and(Array(repeating: comparison, count: count))
        var looks = 0
        #expect(throws: MatchStopped.self) {
            try predicate.matches(Self.record) {
                looks += 1
                return looks == 3
            }
        }
        #expect(looks == 3)
    }

    @Test func anEvaluationShorterThanTheIntervalOfChecksIsDecidedHoweverLateItIs() throws {
        let predicate = try PredicateBinder(WordyType(), user: "_me").bind(
            Predicate(format: "title MATCHES 'a+' AND self CONTAINS 'word' AND parent == nil", now: 0))
        #expect(try predicate.matches(Self.record) { true })
    }
}

/// A record type whose words come from the field `note`.
private struct WordyType: QueryableType {
    let name = "Note"

    func type(ofField name: String) -> FieldType? {
        switch name {
        case "title", "note": .string
        case "tags": .list(.string)
        default: nil
        }
    }

    var fieldsOfWords: [SearchableField] { [SearchableField(name: "note", type: .string)] }
}
