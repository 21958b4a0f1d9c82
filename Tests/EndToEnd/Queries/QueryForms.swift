import CloudKitModel
import CloudKitQuery
import CloudKitWire
import TestSupport

/// A predicate, and the records of ``QueryForm/records`` that it matches.
struct QueryForm: Sendable {
    let format: String
    let arguments: [FormatArgument]
    /// The matching records, with one letter for each.
    let expected: String

    init(_ format: String, _ arguments: FormatArgument..., is expected: String) {
        self.format = format
        self.arguments = arguments
        self.expected = expected
    }

    /// The records, each of which has one letter as its name. `f` has no fields, and `p` has the parent `a`.
    static let records: [JSONValue] = [
        .item(
            "a",
            [
                "title": "Apple pie", "note": "with cinnamon", "n": 1, "x": .typed(1.5, "DOUBLE"),
                "at": .moment(1_000), "tags": ["red", "sweet"], "scores": [1, 2], "other": .link("b"),
                "place": .place(37.3318, -122.0312),
            ]),
        .item(
            "b",
            [
                "title": "apple Crumble", "n": 2, "x": .typed(2.5, "DOUBLE"), "at": .moment(2_000),
                "tags": ["Red", "sour"], "scores": [3], "other": .link("c"), "place": .place(37.4219, -122.0840),
            ]),
        .item(
            "c",
            [
                "title": "Äpfel, the best", "n": 3, "x": .typed(-1, "DOUBLE"), "at": .moment(3_000),
                "tags": .typed([], "STRING_LIST"), "scores": .typed([], "INT64_LIST"), "other": .link("a"),
                "place": .place(37.7749, -122.4194),
            ]),
        .item(
            "d",
            [
                "title": "Banana bread", "note": "of the day", "n": 10, "x": .typed(0, "DOUBLE"),
                "at": .moment(86_400_000), "tags": ["green"], "scores": [10, 1], "other": .link("b"),
                "place": .place(52.52, 13.405),
            ]),
        .item(
            "e",
            [
                "title": "", "n": -5, "x": .typed(1e10, "DOUBLE"), "at": .moment(0), "tags": ["sweet", "green"],
                "scores": [-1],
            ]),
        .item("f"),
        .item("p", ["title": "pear 50% *off*", "n": 2], parent: "a"),
    ]

    /// A schema with the same fields and without indexes.
    static let schemaWithoutIndexes = """
        DEFINE SCHEMA RECORD TYPE Item (title STRING, note STRING, n INT64, x DOUBLE, at TIMESTAMP, tags LIST<STRING>,
            scores LIST<INT64>, other REFERENCE, place LOCATION,
            GRANT WRITE TO "_creator", GRANT CREATE TO "_icloud", GRANT READ TO "_world");
        """

    private static let all = "abcdefp"
    private static let home = FormatArgument.value(.location(Location(latitude: 37.3318, longitude: -122.0312)))

    private static func reference(_ name: String) -> FormatArgument {
        .value(.reference(Reference(recordName: RecordName(unchecked: name))))
    }

    private static func text(_ text: String) -> FormatArgument { .value(.string(text)) }
    private static func moment(_ milliseconds: Int64) -> FormatArgument { .value(.timestamp(milliseconds)) }

    private static func list(_ base: FieldType.Base, _ values: FieldValue...) -> FormatArgument {
        .value(.list(values, of: base))
    }

    /// The predicates of CloudKit (semantics 7.2).
    static let cloudKit: [QueryForm] = [
        // Equality is exact, and never true of an absent field.
        .init("title == 'Apple pie'", is: "a"),
        .init("title = %@", text("Apple pie"), is: "a"),
        .init("title == 'apple pie'", is: ""),
        .init("title == ''", is: "e"),
        .init("n == 2", is: "bp"),
        .init("n == 2.0", is: "bp"),
        .init("n == 2.5", is: ""),
        .init("x == 2.5", is: "b"),
        .init("x = 0", is: "d"),
        .init("at == %@", moment(1_000), is: "a"),
        .init("other == %@", reference("b"), is: "ad"),
        .init("other == 'b'", is: "ad"),
        .init("title != 'Apple pie'", is: "bcdep"),
        .init("title <> 'Apple pie'", is: "bcdep"),
        .init("n != 2", is: "acde"),
        .init("other != %@", reference("b"), is: "bc"),
        .init("at != %@", moment(1_000), is: "bcde"),
        // Order.
        .init("n < 2", is: "ae"),
        .init("n <= 2", is: "abep"),
        .init("n =< 2", is: "abep"),
        .init("n > 2", is: "cd"),
        .init("n >= 2", is: "bcdp"),
        .init("n => 2", is: "bcdp"),
        .init("x < 1.5", is: "cd"),
        .init("at > %@", moment(1_000), is: "bcd"),
        .init("at <= %@", moment(1_000), is: "ae"),
        .init("title < 'B'", is: "ae"),
        .init("title >= 'a'", is: "bcp"),
        .init("n BETWEEN {1, 3}", is: "abcp"),
        .init("x BETWEEN {-1, 1.5}", is: "acd"),
        .init("at BETWEEN %@", list(.timestamp, .timestamp(1_000), .timestamp(2_000)), is: "ab"),
        .init("title BETWEEN {'A', 'B'}", is: "a"),
        .init("n BETWEEN {3, 1}", is: ""),
        // Membership in a list of values.
        .init("n IN {1, 10, 99}", is: "ad"),
        .init("title IN {'Apple pie', ''}", is: "ae"),
        .init("at IN %@", list(.timestamp, .timestamp(0), .timestamp(3_000)), is: "ce"),
        .init(
            "other IN %@", list(.reference, .reference(.init(recordName: "b")), .reference(.init(recordName: "a"))),
            is: "acd"),
        .init("n IN {}", is: ""),
        .init("NOT (n IN {1, 10})", is: "bcefp"),
        .init("title BEGINSWITH 'apple'", is: "b"),
        .init("title BEGINSWITH 'Ä'", is: "c"),
        .init("title BEGINSWITH ''", is: "abcdep"),
        .init("NOT (title BEGINSWITH 'a')", is: "acdefp"),
        // Lists.
        .init("tags CONTAINS 'sweet'", is: "ae"),
        .init("'sweet' IN tags", is: "ae"),
        .init("scores CONTAINS 1", is: "ad"),
        .init("%@ IN scores", .value(.int64(3)), is: "b"),
        .init("ANY tags == 'sweet'", is: "ae"),
        .init("SOME tags == 'sweet'", is: "ae"),
        .init("ANY tags IN {'red', 'green'}", is: "ade"),
        .init("ANY {'red', 'green'} IN tags", is: "ade"),
        .init("ALL {'sweet', 'green'} IN tags", is: "e"),
        .init("tags CONTAINS {'red', 'sweet'}", is: "a"),
        .init("ANY tags BEGINSWITH 's'", is: "abe"),
        .init("NOT (tags CONTAINS 'sweet')", is: "bcdfp"),
        .init("NOT (ANY tags IN {'red', 'green'})", is: "bcfp"),
        .init("NOT (ALL {'sweet', 'green'} IN tags)", is: "abcdfp"),
        .init("NOT (ANY tags BEGINSWITH 's')", is: "cdfp"),
        // Words.
        .init("self CONTAINS 'apple'", is: "ab"),
        .init("self CONTAINS 'cinnamon APPLE'", is: "a"),
        .init("self CONTAINS 'app'", is: ""),
        .init("self CONTAINS 'the pie'", is: "a"),
        .init("self CONTAINS 'the'", is: ""),
        .init("allTokens TOKENMATCHES[cdl] 'apfel best'", is: "c"),
        .init("ALL tokenize('pie apple', 'Cdl') IN allTokens", is: "a"),
        .init("ANY tokenize('pie bread', 'Cdl') IN allTokens", is: "ad"),
        .init("title TOKENMATCHES[cdl] 'APPLE'", is: "ab"),
        .init("note TOKENMATCHES[cdl] 'apple'", is: ""),
        .init("ALL tokenize('apple crumble', 'Cdl') IN title", is: "b"),
        .init("ANY tokenize('crumble bread', 'Cdl') IN title", is: "bd"),
        // Places.
        .init("distanceToLocation:fromLocation:(place, %@) < 20000", home, is: "ab"),
        .init("distanceToLocation:fromLocation:(%@, place) <= 5000", home, is: "a"),
        .init("distanceToLocation:fromLocation:(place, %@) <= 0", home, is: "a"),
        .init("distanceToLocation:fromLocation:(place, location(37.7, -122.3)) < 100000", is: "abc"),
        // Logic.
        .init("TRUEPREDICATE", is: all),
        .init("FALSEPREDICATE", is: ""),
        .init("n > 0 AND title BEGINSWITH 'A'", is: "a"),
        .init("n > 0 && x > 0", is: "ab"),
        .init("n > 0 AND (x > 0 AND (at > %@ AND tags CONTAINS 'sour'))", moment(0), is: "b"),
        .init("NOT (n == 2)", is: "acdef"),
        .init("!(n > 2)", is: "abefp"),
        // System fields.
        .init("recordID == %@", reference("a"), is: "a"),
        .init("recordID == 'a'", is: "a"),
        .init("recordID != %@", reference("a"), is: "bcdefp"),
        .init(
            "recordID IN %@", list(.reference, .reference(.init(recordName: "a")), .reference(.init(recordName: "x"))),
            is: "a"),
        .init("recordID IN {'d', 'f'}", is: "df"),
        .init("NOT (recordID IN {'a', 'b'})", is: "cdefp"),
        .init("self == %@", reference("b"), is: "b"),
        .init("creationDate > %@", moment(0), is: all),
        .init("creationDate < %@", moment(0), is: ""),
        .init("creationDate > now() - 86400", is: all),
        .init("modificationDate <= now() + 60", is: all),
        .init("modificationDate BETWEEN %@", list(.timestamp, .timestamp(0), .timestamp(1_000)), is: ""),
        .init("creatorUserRecordID == '__defaultOwner__'", is: all),
        .init("lastModifiedUserRecordID == '__defaultOwner__'", is: all),
        .init("creatorUserRecordID != '__defaultOwner__'", is: ""),
        .init("creatorUserRecordID IN {'nobody'}", is: ""),
        .init("___createTime > %@", moment(0), is: all),
        .init("parent == %@", reference("a"), is: "p"),
        .init("parent == %@", reference("b"), is: ""),
        // Constants.
        .init("at > CAST('1970-01-01T00:00:01Z', 'NSDate')", is: "bcd"),
        .init("at == CAST(-978307199, 'NSDate')", is: "a"),
        .init("n == CAST('2', 'NSNumber')", is: "bp"),
        .init("at < now()", is: "abcde"),
        .init("at > now() - 60", is: ""),
        .init("%K == %@", .keyPath("n"), .value(.int64(10)), is: "d"),
        .init("2 < n", is: "cd"),
        .init("'Apple pie' == title", is: "a"),
        .init("2 >= n", is: "abep"),
    ]

    /// The predicates that CloudKit does not have (semantics 7.3).
    static let extended: [QueryForm] = [
        .init("n == 1 OR n == 10", is: "ad"),
        .init("title == nil || n < 0", is: "ef"),
        .init("(n == 1 OR n == 2) AND x > 2", is: "b"),
        .init("(n == 1 AND x > 1) OR (n == 2 AND x > 1) OR tags CONTAINS 'green'", is: "abde"),
        .init("title CONTAINS 'bread' OR self CONTAINS 'cinnamon'", is: "ad"),
        .init("NOT (n == 1 OR n == 2)", is: "cdef"),
        .init("NOT (n > 0 AND x > 1)", is: "cdefp"),
        .init("NOT (n BETWEEN {1, 3})", is: "def"),
        .init("NOT (NOT (n == 1))", is: "a"),
        .init("NOT (self CONTAINS 'apple')", is: "cdefp"),
        .init("NOT (distanceToLocation:fromLocation:(place, %@) < 20000)", home, is: "cdefp"),
        .init("NOT TRUEPREDICATE", is: ""),
        .init("title ENDSWITH 'pie'", is: "a"),
        .init("title ENDSWITH 'BREAD'", is: ""),
        .init("title ENDSWITH[c] 'BREAD'", is: "d"),
        .init("title LIKE 'A* p?e'", is: "a"),
        .init("title LIKE 'apple'", is: ""),
        .init("title LIKE[c] 'apple*'", is: "ab"),
        .init("title LIKE[cd] 'apfel*'", is: "c"),
        .init("title LIKE %@", text(#"pear 50% \*off\*"#), is: "p"),
        .init("title LIKE %@", text(#"*\**"#), is: "p"),
        .init("title MATCHES '[A-Z].* (pie|bread)'", is: "ad"),
        .init("title MATCHES 'pie'", is: ""),
        .init("title MATCHES[c] 'APPLE.*'", is: "ab"),
        .init("title MATCHES[cd] 'apfel.*'", is: "c"),
        .init("NOT (title MATCHES '.*p.*')", is: "def"),
        .init("title CONTAINS 'pp'", is: "ab"),
        .init("title CONTAINS[c] 'PPLE'", is: "ab"),
        .init("title CONTAINS[d] 'Apfel'", is: "c"),
        .init("title CONTAINS[cd] 'apfel'", is: "c"),
        .init("title CONTAINS[c] 'apfel'", is: ""),
        .init("title CONTAINS '50%'", is: "p"),
        .init("title CONTAINS '_'", is: ""),
        .init("title ==[c] 'apple PIE'", is: "a"),
        .init("title ==[cd] 'APFEL, THE BEST'", is: "c"),
        .init("title !=[c] 'apple pie'", is: "bcdep"),
        .init("title IN[c] {'APPLE PIE', 'banana bread'}", is: "ad"),
        .init("title BEGINSWITH[c] 'APPLE'", is: "ab"),
        .init("title BEGINSWITH[cd] 'apf'", is: "c"),
        .init("title == nil", is: "f"),
        .init("title != nil", is: "abcdep"),
        .init("tags == nil", is: "fp"),
        .init("tags != nil", is: "abcde"),
        .init("place == nil", is: "efp"),
        .init("other = NULL", is: "efp"),
        .init("parent == nil", is: "abcdef"),
        .init("parent != nil", is: "p"),
        .init("share == nil", is: all),
        .init("distanceToLocation:fromLocation:(place, %@) > 20000", home, is: "cd"),
        .init("distanceToLocation:fromLocation:(%@, place) >= 20000", home, is: "cd"),
        .init("20000 > distanceToLocation:fromLocation:(place, %@)", home, is: "ab"),
        .init("NONE tags == 'sweet'", is: "bcdfp"),
        .init("NONE tags IN {'red', 'green'}", is: "bcfp"),
        .init("ANY tags != 'sweet'", is: "abde"),
        .init("ANY scores > 2", is: "bd"),
        .init("ANY scores BETWEEN {2, 3}", is: "ab"),
        .init("ANY tags ==[c] 'RED'", is: "ab"),
        .init("ANY tags ENDSWITH 'r'", is: "b"),
        .init("ANY tags LIKE 's*t'", is: "ae"),
        .init("ANY tags MATCHES '[rR]ed'", is: "ab"),
        .init("ANY tags CONTAINS[c] 'RE'", is: "abde"),
        .init("recordID > 'c'", is: "defp"),
        .init("recordID BEGINSWITH 'a'", is: "a"),
        .init("recordID LIKE '[a-c]'", is: ""),
        .init("recordID MATCHES '[a-c]'", is: "abc"),
        .init("self IN %@", list(.reference, .reference(.init(recordName: "a"))), is: "a"),
    ]
}
