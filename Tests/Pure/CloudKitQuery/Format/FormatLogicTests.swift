import CloudKitModel
import CloudKitQuery
import Testing

struct FormatLogicTests {
    private static let a = Predicate.field("a", .relation(.equal, .int64(1)))
    private static let b = Predicate.field("b", .relation(.equal, .int64(2)))
    private static let c = Predicate.field("c", .relation(.equal, .int64(3)))

    /// Parses a format in which `a`, `b` and `c` stand for comparisons.
    private func reading(_ format: String) throws -> Predicate {
        let numbers: [Character: String] = ["a": "a == 1", "b": "b == 2", "c": "c == 3"]
        return try Predicate.reading(format.map { numbers[$0] ?? String($0) }.joined())
    }

    @Test(
        arguments: [
            ("a", a), ("(a)", a), ("((a))", a), ("TRUEPREDICATE", .all), ("FALSEPREDICATE", .nothing),
            ("a AND b", .and([a, b])), ("a And b", .and([a, b])), ("a && b", .and([a, b])), ("a&&b", .and([a, b])),
            ("a OR b", .or([a, b])), ("a || b", .or([a, b])), ("NOT a", .not(a)), ("! a", .not(a)), ("!(a)", .not(a)),
            ("NOT NOT a", .not(.not(a))), ("!!a", .not(.not(a))), ("NOT(a)", .not(a)),
            ("a AND b AND c", .and([a, b, c])), ("a AND (b AND c)", .and([a, b, c])),
            ("(a AND b) AND c", .and([a, b, c])), ("a OR (b OR c)", .or([a, b, c])),
            ("a OR b AND c", .or([a, .and([b, c])])), ("a AND b OR c", .or([.and([a, b]), c])),
            ("(a OR b) AND c", .and([.or([a, b]), c])), ("NOT a AND b", .and([.not(a), b])),
            ("NOT (a AND b)", .not(.and([a, b]))), ("NOT a OR NOT b", .or([.not(a), .not(b)])),
            ("a AND TRUEPREDICATE", a), ("TRUEPREDICATE AND TRUEPREDICATE", .all),
            ("a OR TRUEPREDICATE", .or([a, .all])), ("a AND FALSEPREDICATE", .and([a, .nothing])),
            ("a OR FALSEPREDICATE", a), ("NOT TRUEPREDICATE", .not(.all)),
        ] as [(String, Predicate)])
    func logicIsReadFlat(format: String, expected: Predicate) throws {
        #expect(try reading(format) == expected)
    }

    @Test(arguments: [
        "tRuEpReDiCaTe aNd TruePredicate", "not falsepredicate", "Not NOT truePREDICATE or FalsePredicate",
    ])
    func keywordsAreReadInAnyCase(format: String) throws {
        #expect(try Predicate.reading(format) == Predicate.reading(format.uppercased()))
    }

    @Test(
        arguments: [
            (.and([a]), a), (.or([.and([a])]), a), (.and([.and([a, .and([])]), b]), .and([a, b])),
            (.and([.or([.and([a, b])]), c]), .and([a, b, c])), (.or([.and([]), a]), .or([.all, a])),
            (.not(.and([.or([a])])), .not(a)), (.and([.and([]), .and([])]), .all),
        ] as [(Predicate, Predicate)])
    func aTreeIsFlattened(tree: Predicate, expected: Predicate) {
        #expect(tree.flattened == expected)
        #expect(expected.flattened == expected)
    }
}
