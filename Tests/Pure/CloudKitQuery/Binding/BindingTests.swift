import CloudKitModel
import CloudKitQuery
import Testing

/// A record type with a few fields.
struct TestType: QueryableType {
    let name = "Note"
    let fields: [String: FieldType] = [
        "title": .string, "n": .int64, "x": .double, "at": .timestamp, "tags": .list(.string), "other": .reference,
        "place": .location, "data": .bytes, "file": .asset, "secret": FieldType(.string, isEncrypted: true),
        "number": .number,
    ]

    func type(ofField name: String) -> FieldType? { fields[name] }

    var fieldsOfWords: [SearchableField] { [SearchableField(name: "title", type: .string)] }
}

/// A record of this type.
struct TestRecord: QueryableRecord {
    var recordName = "r"
    var zoneName = "Z"
    var createdTimestamp: Int64 = 0
    var modifiedTimestamp: Int64 = 0
    var createdUserRecordName = "_me"
    var modifiedUserRecordName = "_other"
    var parentRecordName: String?
    var values: [String: FieldValue] = [:]

    func value(ofField name: String, as type: FieldType) -> FieldValue? { values[name] }
}

struct BindingTests {
    private static func matches(_ format: String, _ record: TestRecord) throws -> Bool {
        try PredicateBinder(TestType(), user: "_me").bind(Predicate(format: format, now: 0)).matches(record)
    }

    /// Comparisons of a field that the record does not have.
    @Test(arguments: [
        ("title == 'a'", false), ("title != 'a'", false), ("NOT title == 'a'", true), ("NOT title != 'a'", true),
        ("title < 'a'", false), ("NOT (title IN {'a'})", true), ("title == nil", true), ("title != nil", false),
        ("ANY tags == 'a'", false), ("NONE tags == 'a'", true), ("tags CONTAINS {'a'}", false),
        ("NOT title BEGINSWITH 'a'", true), ("title !=[c] 'a'", false),
        ("distanceToLocation:fromLocation:(place, location(0, 0)) > 5", false), ("self CONTAINS 'a'", false),
        ("TRUEPREDICATE", true), ("FALSEPREDICATE", false), ("parent == 'x'", false), ("share == nil", true),
    ])
    func aFieldThatIsNotThereIsNeitherEqualNorUnequal(format: String, expected: Bool) throws {
        #expect(try Self.matches(format, TestRecord()) == expected)
    }

    @Test func numbersOfBothKindsAreComparedByWhatTheyAre() throws {
        let large = TestRecord(values: ["n": .int64(9_007_199_254_740_993), "x": .double(9_007_199_254_740_992)])
        #expect(try Self.matches("n > 9007199254740992.0", large))
        #expect(try !Self.matches("n == 9007199254740992.0", large))
        #expect(try Self.matches("x < 9007199254740993", large))
        #expect(try Self.matches("x == 9007199254740992", large))
        let bounds = TestRecord(values: ["n": .int64(.max)])
        #expect(try Self.matches("n < 9223372036854775808.0", bounds))
        #expect(try Self.matches("n > -9223372036854775808.0", bounds))
    }

    @Test func textsAreComparedByTheirBytesUnlessOptionsSayOtherwise() throws {
        let record = TestRecord(values: ["title": .string("Caf\u{e9}")])
        #expect(try !Self.matches("title == 'Cafe\u{301}'", record))
        #expect(try Self.matches("title ==[d] 'Cafe\u{301}'", record))
        #expect(try Self.matches("title ==[cd] 'CAFE'", record))
        #expect(try !Self.matches("title ==[c] 'CAFE'", record))
        #expect(try Self.matches("title CONTAINS[c] 'AF'", record))
        #expect(try Self.matches("title LIKE[d] 'C?fe'", record))
        #expect(try Self.matches("title MATCHES[c] 'CA.+'", record))
        #expect(try Self.matches("title BETWEEN {'Caf', 'Cag'}", record))
    }

    @Test func aReferenceIsItsNameAndTheZoneWhereOneIsNamed() throws {
        let record = TestRecord(values: ["other": .reference(Reference(recordName: "a"))])
        #expect(try Self.matches("other == 'a'", record))
        #expect(try Self.matches("other == reference('a')", record))
        #expect(try Self.matches("other == reference('a', 'Z')", record))
        #expect(try !Self.matches("other == reference('a', 'Y')", record))
        #expect(try Self.matches("creatorUserRecordID == '__defaultOwner__'", record))
        #expect(try !Self.matches("lastModifiedUserRecordID == '__defaultOwner__'", record))
        #expect(try Self.matches("recordID == 'r' AND recordID BEGINSWITH 'r'", record))
    }

    @Test func wordsAreFoundInAnyFieldAndStopWordsNowhere() throws {
        let record = TestRecord(values: ["title": .string("The Märchen of Bob")])
        #expect(try Self.matches("self CONTAINS 'marchen bob'", record))
        #expect(try Self.matches("self CONTAINS 'bob the a'", record))
        #expect(try !Self.matches("self CONTAINS 'bob smith'", record))
        #expect(try Self.matches("ANY tokenize('bob smith', 'Cdl') IN allTokens", record))
        #expect(try !Self.matches("self CONTAINS 'the of'", record))
        #expect(try !Self.matches("title TOKENMATCHES[cdl] 'mar'", record))
    }

    @Test func aDistanceIsThatOfTheGreatCircle() throws {
        // The two places are one degree of latitude apart.
        let record = TestRecord(values: ["place": .location(Location(latitude: 1, longitude: 0))])
        #expect(try Self.matches("distanceToLocation:fromLocation:(place, location(0, 0)) < 111196", record))
        #expect(try !Self.matches("distanceToLocation:fromLocation:(place, location(0, 0)) < 111195", record))
        let across = TestRecord(values: ["place": .location(Location(latitude: 0, longitude: 179.5))])
        #expect(try Self.matches("distanceToLocation:fromLocation:(place, location(0, -179.5)) < 111196", across))
    }

    @Test(arguments: [
        ("data == 1", "not_comparable"), ("file != nil AND file == 'x'", "not_comparable"),
        ("secret == 'a'", "not_comparable"), ("secret != nil", "not_comparable"),
        ("place == location(0, 0)", "not_comparable"), ("other < 'a'", "not_comparable"),
        ("title == 5", "invalid_value"), ("at == 'today'", "invalid_value"), ("other == 5", "invalid_value"),
        ("n CONTAINS 5", "not_comparable"), ("n ==[c] 'a'", "not_comparable"), ("nothing == 5", "field_not_found"),
        ("tags CONTAINS 5", "invalid_value"), ("title CONTAINS {'a'}", "not_comparable"),
        ("n TOKENMATCHES 'a'", "not_comparable"),
        ("distanceToLocation:fromLocation:(n, location(0, 0)) < 5", "not_comparable"),
    ])
    func whatAFieldCannotBeAskedIsRefused(format: String, code: String) throws {
        let predicate = try Predicate(format: format, now: 0)
        do throws(ServerError) {
            _ = try PredicateBinder(TestType(), user: "_me").bind(predicate)
            Issue.record("\(format) was bound")
        } catch {
            #expect(error.reasonCode == code)
            #expect(error.field?.isEmpty == false)
        }
    }

    @Test func largePredicatesAreRefusedBeforeAnyWork() throws {
        func refusal(_ predicate: Predicate) -> ServerError? {
            do throws(ServerError) {
                _ = try PredicateBinder(TestType(), user: "_me").bind(predicate)
                return nil
            } catch {
                return error
            }
        }
        let one = Predicate.comparison(Comparison(.field("n"), .value, .relation(.equal, .int64(1))))
        #expect(refusal(.and(Array(repeating: one, count: 257)))?.limit == QueryLimits.maxComparisons)
        #expect(refusal(.and(Array(repeating: .or([one, one]), count: 7)))?.limit == QueryLimits.maxTerms)
        #expect(refusal(.and(Array(repeating: .or([one, one]), count: 6))) == nil)
        // NOT turns AND into OR.
        #expect(refusal(.not(.and(Array(repeating: one, count: 65))))?.limit == QueryLimits.maxTerms)
        #expect(refusal((0..<24).reduce(one) { inner, _ in .not(inner) }) == nil)
        let deep = (0..<25).reduce(one) { inner, _ in .not(inner) }
        #expect(refusal(deep)?.limit == QueryLimits.maxDepth)
        let many = Comparison(.field("n"), .value, .oneOf(Array(repeating: .int64(1), count: 1001)))
        #expect(refusal(.comparison(many))?.limit == QueryLimits.maxValues)
        let long = Comparison(.field("title"), .value, .contains(.string(String(repeating: "a", count: 20_000))))
        #expect(refusal(.comparison(long))?.limit == QueryLimits.maxTextBytes)
    }
}
