import CloudKitModel
import CloudKitQuery
import Testing

@Suite(.timeLimit(.minutes(1))) struct FormatLimitTests {
    private func column(_ format: String, _ message: String, _ arguments: [FormatArgument] = []) throws -> Int {
        let error = try #require(
            #expect(throws: PredicateFormatError.self) { try Predicate.reading(format, arguments) })
        #expect(error.message.contains(message), "\(error)")
        return error.column
    }

    private func repeated(_ text: String, _ count: Int) -> String { String(repeating: text, count: count) }

    @Test(arguments: [("(", ")"), ("NOT ", ""), ("!", "")])
    func aFormatHasAsManyLevelsAsATree(open: String, close: String) throws {
        let format = { (levels: Int) in repeated(open, levels) + "n == 1" + repeated(close, levels) }
        _ = try Predicate.reading(format(QueryLimits.maxDepth))
        for levels in [QueryLimits.maxDepth + 1, 10_000] {
            let expected = open.count * QueryLimits.maxDepth + 1
            #expect(try column(format(levels), "more than 24 levels") == expected)
        }
        #expect(try column(repeated(open, 10_000), "more than 24 levels") == open.count * QueryLimits.maxDepth + 1)
    }

    @Test func aTreeThatIsDeeperThanItsParenthesesIsRefused() throws {
        let format = { (levels: Int) in repeated("n == 1 OR n == 2 AND (", levels) + "n == 3" + repeated(")", levels) }
        _ = try Predicate.reading(format(12))
        #expect(try column(format(13), "more than 24 levels") == 11)
    }

    @Test func aTreeOfAllLevelsIsPrintedAndRead() throws {
        var tree = Predicate.field("n", .exists)
        for level in 0..<QueryLimits.maxDepth {
            switch level % 3 {
            case 0: tree = .and([tree, .field("a", .exists)])
            case 1: tree = .or([tree, .field("b", .exists)])
            default: tree = .not(tree)
            }
        }
        #expect(try Predicate.reading(tree.format) == tree)
    }

    @Test func thingsInThingsAreRefusedAtOnce() throws {
        #expect(try column("f IN " + repeated("{", 10_000), "a list is not supported here") == 7)
        #expect(try column("f == " + repeated("CAST(", 10_000), "not supported here") == 16)
        #expect(try column("f == " + repeated("reference(", 5_000), "not supported here") == 26)
        let distance = "distanceToLocation:fromLocation:("
        #expect(try column(repeated(distance, 1_000), "not supported here") == distance.count + 1)
        #expect(try column("f == " + repeated("-", 10_000), "expected a number after '-'") == 7)
        #expect(try column(repeated("ANY ", 10_000), "not 'ANY'") == 5)
    }

    @Test func aFormatHasItsBytesAndNoMore() throws {
        let padded = { (bytes: Int) in "n == 1" + repeated(" ", bytes - 6) }
        _ = try Predicate.reading(padded(QueryLimits.maxFormatBytes))
        #expect(try column(padded(QueryLimits.maxFormatBytes + 1), "a format must not exceed 65536 bytes") == 1)
        #expect(try column(repeated("(", 1 << 20), "a format must not exceed 65536 bytes") == 1)
    }

    @Test func comparisonsAreCounted() throws {
        let format = { (count: Int) in Array(repeating: "n == 1", count: count).joined(separator: " OR ") }
        _ = try Predicate.reading(format(QueryLimits.maxComparisons))
        let count = QueryLimits.maxComparisons
        #expect(try column(format(count + 1), "more than 256 comparisons") == count * 10 + 1)
    }

    @Test func theValuesOfAListAreCounted() throws {
        let format = { (count: Int) in "n IN {" + Array(repeating: "1", count: count).joined(separator: ",") + "}" }
        _ = try Predicate.reading(format(QueryLimits.maxValues))
        #expect(try column(format(QueryLimits.maxValues + 1), "more than 1000 values") == 6 + 2000 + 1)
        #expect(try column(format(30_000), "more than 1000 values") == 6 + 2000 + 1)
        let list = FieldValue.list(.int64, Array(repeating: .int64(1), count: 1_000_000))
        #expect(try column("n IN %@", "more than 1000 values", [.value(list)]) == 6)
    }

    @Test func textsHaveTheirBytesAndNoMore() throws {
        let longest = repeated("é", QueryLimits.maxTextBytes / 2)
        _ = try Predicate.reading("f == '\(longest)'")
        _ = try Predicate.reading("f == %@", [.value(.string(longest))])
        #expect(try column("f == '\(longest)a'", "a string must not exceed 16384 bytes") == 6)
        #expect(try column("f IN {'a', %@}", "a string must not exceed", [.value(.string(longest + "a"))]) == 12)
        #expect(try column("f LIKE %@", "a string must not exceed", [.value(.string(repeated("a", 1 << 20)))]) == 8)
        let pattern = repeated("a", QueryLimits.maxRegularExpressionBytes)
        _ = try Predicate.reading("f MATCHES '\(pattern)'")
        #expect(try column("f MATCHES '\(pattern)a'", "a regular expression must not exceed 1024 bytes") == 11)
    }

    @Test func longThingsAreReadAtOnce() throws {
        #expect(try column("n == " + repeated("1", 60_000), "too large") == 6)
        #expect(try column("n == CAST(" + repeated("1", 60_000) + ", 'NSDate')", "too large") == 11)
        _ = try Predicate.reading("n == 0." + repeated("1", 60_000))
        _ = try Predicate.reading(Array(repeating: "TRUEPREDICATE", count: 3_500).joined(separator: " OR "))
        #expect(try column(repeated("a", 60_000) + " 1", "expected an operator") == 60_002)
        #expect(try column(repeated("é", 30_000), "not 'é'") == 1)
    }
}
