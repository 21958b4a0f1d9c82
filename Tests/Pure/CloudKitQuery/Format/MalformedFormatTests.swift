import CloudKitModel
import CloudKitQuery
import Testing

/// A format that must be refused. `▸` precedes the character that the error names, and is not part of the format.
struct MalformedFormat: CustomTestStringConvertible {
    var marked: String
    var message: String
    var arguments: [FormatArgument]

    init(_ marked: String, _ message: String, _ arguments: FormatArgument...) {
        self.marked = marked
        self.message = message
        self.arguments = arguments
    }

    var testDescription: String { "\(marked.prefix(80)): \(message)" }
}

struct MalformedFormatTests {
    private static let logic: [MalformedFormat] = [
        .init("▸", "expected a comparison"), .init("  \t▸", "expected a comparison"),
        .init("n == 1 ▸n == 2", "expected AND, OR or the end, not 'n'"), .init("n == 1 AND▸", "expected a comparison"),
        .init("n == 1 AND ▸OR n == 2", "not 'OR'; for a field with this name, write #OR"),
        .init("▸AND n == 1", "not 'AND'"),
        .init("n == 1 ▸& n == 2", "expected AND, OR or the end, not '&'"),
        .init("n == 1 ||▸|", "expected a comparison, not '|'"),
        .init("(n == 1▸", "expected AND, OR or ')'"), .init("(n == 1 ▸n", "expected AND, OR or ')', not 'n'"),
        .init("n == 1▸)", "expected AND, OR or the end, not ')'"), .init("(▸)", "expected a comparison, not ')'"),
        .init("NOT▸", "expected a comparison"), .init("!▸", "expected a comparison"),
        .init("TRUEPREDICATE ▸== 1", "expected AND, OR or the end, not '=='"),
        .init("▸;", "expected a comparison, not ';'"),
        .init("▸🦊", "expected a comparison, not '🦊'"), .init("'é🦊' == n ▸é", "not 'é'"), .init("▸\u{7}", "not 'U+7'"),
        .init("n == 1\r\n▸x", "not 'x'"), .init("n ▸? 1 : 2", "expected an operator such as '=='"),
    ]

    private static let comparisons: [MalformedFormat] = [
        .init("n▸", "expected an operator such as '=='"), .init("n ▸IS 1", "not 'IS'"),
        .init("(n▸) == 1", "expected an operator"), .init("n ==▸", "expected a value after '=='"),
        .init("n ==  ▸", "expected a value after '=='"), .init("n == ▸)", "expected a value after '==', not ')'"),
        .init("n ==▸= 1", "expected a value after '==', not '='"), .init("n == ▸AND", "not 'AND'"),
        .init("n ▸NOT IN {1}", "write NOT before the comparison: NOT (field IN {…})"),
        .init("n == ▸m", "two fields cannot be compared with each other"),
        .init("n == ▸self", "two fields cannot be compared with each other"),
        .init("▸1 == 1", "expected a field before '=='"), .init("'x' IN ▸'y'", "expected a field on one side of 'IN'"),
        .init("▸'x' BEGINSWITH f", "expected a field before 'BEGINSWITH'"),
        .init("▸'x' CONTAINS f", "expected a field"),
        .init("▸{1, 2} BETWEEN f", "expected a field before 'BETWEEN'"), .init("▸nil == nil", "expected a field"),
        .init("n < ▸nil", "nil can only be compared with == and !="), .init("▸nil IN f", "nil can only be"),
        .init("n IN ▸nil", "nil can only be compared"), .init("ANY ▸nil IN f", "nil can only be compared"),
        .init("n ==[▸c] nil", "the option 'c' is not supported with nil"),
        .init("▸ANY f == nil", "ANY is not supported with nil"),
        .init("n == ▸{1}", "a list can only be compared with IN, CONTAINS or BETWEEN"),
        .init("n IN ▸5", "expected a list after 'IN'"), .init("n in ▸'x'", "expected a list after 'in'"),
        .init("5 IN ▸{1}", "expected a field on one side of 'IN'"), .init("n IN ▸m", "two fields"),
        .init("n BETWEEN ▸{1}", "expected two values after BETWEEN, not 1"),
        .init("n BETWEEN ▸{1, 2, 3}", "not 3"), .init("n BETWEEN ▸5", "expected a list after 'BETWEEN'"),
        .init("f BEGINSWITH ▸5", "expected a string after 'BEGINSWITH'"), .init("f LIKE ▸{'a'}", "expected a string"),
        .init("f TOKENMATCHES ▸5", "expected a string"),
        .init("f == ▸tokenize('a', 'Cdl')", "expected ANY or ALL before"),
        .init("▸tokenize('a', 'Cdl') IN f", "expected ANY or ALL before"),
        .init("ANY ▸tokenize('a', 'Cdl') == f", "IN and a field after it"),
        .init("▸{1} IN f", "expected ANY or ALL before a list"), .init("ANY ▸5 IN f", "after the quantifier"),
        .init("▸ANY 5 == f", "ANY is not supported with a value on the left"),
        .init("▸ALL f == 1", "ALL is supported only before tokenize(…) or, with IN, before a list of values"),
        .init("▸all f IN {1}", "ALL is supported only"), .init("▸ALL 5 == f", "ALL is supported only"),
        .init("ALL {1} IN[▸c] f", "the option 'c' is not supported with ALL"),
        .init("▸ANY f TOKENMATCHES 'a'", "ANY is not supported with TOKENMATCHES"),
        .init("▸SOME f CONTAINS {1}", "SOME is not supported with a list after CONTAINS"),
        .init("ANY ▸ANY f == 1", "not 'ANY'"), .init("ANY ▸(f == 1)", "expected a comparison, not '('"),
        .init("n == 1 ▸== 2", "expected AND, OR or the end"),
    ]

    private static let options: [MalformedFormat] = [
        .init("f ==[▸x] 'a'", "unknown option 'x'"), .init("f ==[c▸w] 'a'", "unknown option 'w'"),
        .init("f ==[c▸l] 'a'", "the option 'l' is supported only with TOKENMATCHES"),
        .init("f CONTAINS[▸n] 'a'", "the option 'n' is supported only with TOKENMATCHES"),
        .init("f ==[▸] 'a'", "expected options such as 'cd', not ']'"), .init("f ==[c ▸d] 'a'", "expected ']'"),
        .init("f ==[c▸", "expected ']'"), .init("f ==[▸c] 5", "the option 'c' is supported only with strings"),
        .init("f IN[c▸l] {'a'}", "supported only with TOKENMATCHES"),
        .init("f IN[▸d] {'a', 5}", "supported only with strings"),
        .init("f <[▸c] 'a'", "the option 'c' is not supported with '<'"),
        .init("f BETWEEN[▸c] {'a', 'b'}", "not supported with BETWEEN"),
        .init("f CONTAINS[▸c] {'a'}", "not supported with a list after CONTAINS"),
        .init("ANY tokenize('a', 'Cdl') IN[▸c] f", "not supported with tokenize(…)"),
        .init("ANY tokenize('a', ▸'x') IN f", "tokenize supports only the options 'Cdl'"),
    ]

    private static let searches: [MalformedFormat] = [
        .init("self ▸BEGINSWITH 'a'", "self can only be searched with CONTAINS"),
        .init("self ▸== 'a'", "compared with references"),
        .init("self ▸< reference('r')", "compared with references"),
        .init("self ▸IN {'a'}", "compared with references"),
        .init("self ▸== nil", "compared with references"), .init("'a' ▸== self", "compared with references"),
        .init("▸ANY self == reference('r')", "ANY is not supported with self"),
        .init("self CONTAINS ▸5", "expected a string"),
        .init("allTokens ▸== 'a'", "to search all fields"), .init("allTokens ▸!= nil", "to search all fields"),
        .init("'a' IN ▸allTokens", "to search all fields"), .init("ANY {'a'} IN ▸self", "to search all fields"),
        .init("▸ANY self CONTAINS 'a'", "ANY is not supported with a search of all fields"),
    ]

    private static let keys: [MalformedFormat] = [
        .init("a▸.b == 1", "key paths with a '.' are not supported"), .init("n == a▸.b", "key paths"),
        .init("a.▸@count > 1", "aggregates such as @count are not supported"), .init("▸@count > 1", "aggregates"),
        .init("a▸[0] == 1", "indexing into a list is not supported"), .init("self▸.a == 1", "key paths"),
        .init("#▸ == 1", "expected a field's name after '#'"), .init("#▸1a == 1", "expected a field's name after '#'"),
        .init("#▸'a' == 1", "expected a field's name"),
        .init("▸BETWEEN == 1", "for a field with this name, write #BETWEEN"),
        .init("n == ▸$x", "variables such as $NAME are not supported"), .init("▸$x == n", "variables"),
        .init("n ▸+ 1 == 2", "arithmetic is not supported"), .init("n == 5 ▸- 3", "arithmetic is not supported"),
        .init("n == 5▸*3", "arithmetic"), .init("n == 5 ▸%% 3", "arithmetic"), .init("n IN {1 ▸+ 1}", "arithmetic"),
        .init("n == -▸m", "expected a number after '-'"), .init("n == -▸", "expected a number after '-'"),
    ]

    private static let functions: [MalformedFormat] = [
        .init("▸SUBQUERY(f, $x, $x == 1).@count > 0", "SUBQUERY is not supported"),
        .init("▸function(1, 'abs') == 1", "FUNCTION is not supported"), .init("▸TERNARY(a, b, c) == 1", "TERNARY"),
        .init("▸BLOCKPREDICATE(0x1)", "BLOCKPREDICATE is not supported"),
        .init("▸sum(f) == 1", "unknown function 'sum'"),
        .init("f:g ▸== 1", "expected '(' after 'f:g'"), .init("f: ▸== 1", "expected '(' after 'f:', not '=='"),
        .init("n == ▸now(1)", "expected now()"), .init("n == now(▸", "expected a value or ')'"),
        .init("n == now() - ▸m", "expected a number of seconds"),
        .init("n == now() - ▸", "expected a number of seconds"),
        .init("n == now() ▸* 2", "arithmetic is not supported"),
        .init("n == now() - ▸now()", "now(…) is not supported here"),
        .init("n == now() + ▸1e300", "the date is out of range"),
        .init("n == ▸CAST(5)", "expected CAST(value, \"NSDate\")"),
        .init("n == ▸CAST(5, 6)", "expected CAST"),
        .init("n == CAST(5, ▸'NSString')", "a cast to \"NSString\" is not supported"),
        .init("n == ▸CAST('AQ==', 'NSData')", "data and assets cannot be compared"),
        .init("n == CAST(▸'yesterday', 'NSDate')", "expected seconds since 2001 or a string such as"),
        .init("n == CAST(▸'2026-02-29T00:00:00Z', 'NSDate')", "expected seconds"),
        .init("n == CAST(▸'2026-01-15T18:00:00', 'NSDate')", "expected seconds"),
        .init("n == CAST(▸'2026-01-15T18:00:00.Z', 'NSDate')", "expected seconds"),
        .init("n == CAST(▸'2026-01-15T18:00:0.5Z', 'NSDate')", "expected seconds"),
        .init("n == CAST(▸'2026-01-15T24:00:00Z', 'NSDate')", "expected seconds"),
        .init("n == CAST(▸'2026-01-15T18:00:00Zz', 'NSDate')", "expected seconds"),
        .init("n == CAST(▸0x10, 'NSDate')", "expected seconds"), .init("n == CAST(▸1e30, 'NSDate')", "out of range"),
        .init("n == CAST(▸9223371058547575.808, 'NSDate')", "out of range"),
        .init("n == CAST(▸'five', 'NSNumber')", "expected a number, or a string that contains one"),
        .init("n == CAST(CAST(▸CAST(1, 'NSDate'), 'NSDate'), 'NSDate')", "CAST(…) is not supported here"),
        .init("n == ▸reference()", "expected reference(\"record\")"), .init("n == ▸reference(5)", "expected reference"),
        .init("n == ▸reference('a', 'b', 'c', 'd')", "at most three values for reference"),
        .init("n == ▸location('a', 2)", "expected location(latitude, longitude)"),
        .init("n == location(1▸", "expected ',' or ')'"), .init("n == location(1,▸", "expected a value after ','"),
        .init("ANY ▸tokenize('a') IN f", "expected tokenize('words', 'Cdl')"),
        .init("f IN {▸tokenize('a', 'Cdl')}", "tokenize(…) is not supported here"),
        .init(
            "▸distanceToLocation:fromLocation:(place, 5) < 1",
            "expected distanceToLocation:fromLocation:(field, location)"),
        .init("▸distanceToLocation:fromLocation:(a, b) < 1", "(field, location)"),
        .init("▸distanceToLocation:(a, b) < 1", "unknown function 'distanceToLocation:'"),
        .init(
            "distanceToLocation:fromLocation:(f, location(1, 2)) ▸== 5",
            "a distance can only be compared with <, <=, > or >="),
        .init("distanceToLocation:fromLocation:(f, location(1, 2)) < ▸-5", "expected a number of metres, 0 or more"),
        .init("distanceToLocation:fromLocation:(f, location(1, 2)) < ▸'5'", "expected a number of metres"),
        .init("▸ANY distanceToLocation:fromLocation:(f, location(1, 2)) < 5", "ANY is not supported with a distance"),
        .init("distanceToLocation:fromLocation:(f, location(1, 2)) <[▸c] 5", "not supported with a distance"),
        .init("n < ▸distanceToLocation:fromLocation:(f, location(1, 2))", "two fields"),
    ]

    private static let values: [MalformedFormat] = [
        .init("f == 'a▸", "expected the closing ' of a string"),
        .init("f == \"a'▸", "expected the closing \" of a string"),
        .init("f == 'a\\▸", "expected a character after '\\'"), .init("f == 'a▸\\x'", "'\\x' is not an escape"),
        .init("f == '\\u12▸g4'", "expected four hexadecimal digits"), .init("f == '\\u12▸", "four hexadecimal digits"),
        .init("f == 'a▸\\uD83E'", "half of a surrogate pair is not a character"), .init("f == '▸\\uDD8A'", "half of a"),
        .init("f == '▸\\uD83E\\n'", "half of a"), .init("f == '▸\\uD83E\\u0041'", "half of a"),
        .init("f == 'a▸\0'", "a string must not contain NUL"),
        .init("f == 'a▸\\u0000'", "a string must not contain NUL"),
        .init("n == ▸1e400", "the number '1e400' is too large"), .init("n == -▸1e400", "too large"),
        .init("n == ▸0x10000000000000000", "too large"), .init("n == ▸5a", "'5a' is not a number"),
        .init("n == ▸1.2.3", "not a number"), .init("n == ▸1e", "not a number"), .init("n == ▸1e+", "not a number"),
        .init("n == ▸0x", "not a number"), .init("n == ▸0b2", "not a number"), .init("n == ▸1_000", "not a number"),
        .init("n == ▸.5e", "not a number"), .init("f IN {1▸", "expected ',' or '}'"),
        .init("f IN {▸", "expected a value or '}'"),
        .init("f IN {1,▸}", "expected a value after ',', not '}'"),
        .init("f IN {1 ▸2}", "expected ',' or '}', not '2'"),
        .init("f IN {1, ▸{2}}", "a list is not supported here"), .init("f IN {▸m}", "a list can contain only values"),
        .init("f IN {▸nil}", "a list can contain only values"),
        .init("n == location(▸{1}, 2)", "a list is not supported here"),
    ]

    private static let arguments: [MalformedFormat] = [
        .init("f == ▸%@", "missing argument for '%@'"),
        .init("f IN {%@, ▸%d}", "missing argument for '%d'", .value(.int64(1))),
        .init("f == 1▸", "there are more arguments than placeholders: 1 too many", .null),
        .init("f == %@ ▸", "2 too many", .null, .null, .null), .init("f == '%@'▸", "more arguments", .null),
        .init("f == ▸%", "expected a placeholder such as '%@', '%K' or '%d'"),
        .init("f == ▸%5d", "expected a placeholder such as '%@'", .value(.int64(1))),
        .init("f == ▸%d", "'%d' takes a number", .value(.string("x"))),
        .init("f == ▸%lf", "'%lf' takes a number", .value(.list(.int64, []))),
        .init("f == ▸%s", "takes a string", .value(.int64(1))),
        .init("f == ▸%d", "use '%@' for nil", .null),
        .init("▸%K == 1", "'%K' takes a field's name", .value(.string("f"))),
        .init("▸%@ == 1", "use '%K' for a field's name", .keyPath("f")),
        .init("▸%K == 1", "key paths with a '.' are not supported", .keyPath("a.b")),
        .init("▸%K == 1", "'a b' is not the name of a field", .keyPath("a b")), .init("▸%K == 1", "''", .keyPath("")),
        .init("f == ▸%@", "a list can only be compared with IN", .value(.list(.int64, [.int64(1)]))),
        .init("f IN ▸%@", "expected a list", .value(.int64(1))),
        .init("f IN {▸%@}", "a list can contain only values", .null),
        .init("f IN {▸%@}", "a list can contain only values", .value(.list(.int64, [.int64(1)]))),
        .init("f IN ▸%@", "a list within a list", .value(.list([.list(.int64, [])], of: nil))),
        .init("f == ▸%@", "a number must be finite", .value(.double(.nan))),
        .init("f == ▸%@", "coordinates of a location must be finite", .value(.location(.infinity, 0))),
        .init("f == ▸%@", "data and assets cannot be compared", .value(.bytes([1]))),
        .init("f IN ▸%@", "data and assets cannot be compared", .value(.list(.asset, [.asset(Asset())]))),
        .init("f == ▸%@", "a string must not contain NUL", .value(.string("a\0"))),
        .init("f == ▸%@", "a string must not contain NUL", .value(.reference("\0"))),
    ]

    static let all = logic + comparisons + options + searches + keys + functions + values + arguments

    @Test func thereAreTwoHundredOfThem() { #expect(Self.all.count >= 200) }

    @Test(arguments: all) func aMalformedFormatIsRefusedAtItsColumn(format: MalformedFormat) throws {
        let parts = format.marked.split(separator: "▸", maxSplits: 1, omittingEmptySubsequences: false)
        let error = try #require(
            #expect(throws: PredicateFormatError.self) { try Predicate.reading(parts.joined(), format.arguments) })
        #expect(error.column == (parts.first?.count ?? 0) + 1, "\(error)")
        #expect(error.message.contains(format.message), "\(error)")
        #expect(error.description == "column \(error.column): \(error.message)")
    }
}
