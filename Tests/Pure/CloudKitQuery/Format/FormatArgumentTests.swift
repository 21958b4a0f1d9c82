import CloudKitModel
import CloudKitQuery
import Testing

struct FormatArgumentTests {
    private static let paris = Location(latitude: 48.85, longitude: 2.35)

    @Test(
        arguments: [
            ("f == %@", [.value(.string("x"))], .field("f", .relation(.equal, .string("x")))),
            ("f == %@", [.value(.timestamp(7))], .field("f", .relation(.equal, .timestamp(7)))),
            ("f == %@", [.null], .not(.field("f", .exists))), ("%@ != f", [.null], .field("f", .exists)),
            ("%K == %@", [.keyPath("f"), .value(.int64(1))], .field("f", .relation(.equal, .int64(1)))),
            ("%@ == %K", [.value(.int64(1)), .keyPath("and")], .field("and", .relation(.equal, .int64(1)))),
            ("%K == %@", [.keyPath("recordID"), .value(.reference("r"))], .record(.relation(.equal, .reference("r")))),
            ("%K CONTAINS %@", [.keyPath("self"), .value(.string("bob"))], .search("bob")),
            ("self == %@", [.value(.reference("r"))], .record(.relation(.equal, .reference("r")))),
            ("self IN %@", [.value(.list(.reference, [.reference("r")]))], .record(.oneOf([.reference("r")]))),
            ("f IN %@", [.value(.list(.int64, [.int64(1)]))], .field("f", .oneOf([.int64(1)]))),
            ("f IN %@", [.value(.list([], of: nil))], .field("f", .oneOf([]))),
            ("f IN {%@, %d}", [.value(.int64(1)), .value(.int64(2))], .field("f", .oneOf([.int64(1), .int64(2)]))),
            (
                "f BETWEEN %@", [.value(.list(.int64, [.int64(1), .int64(2)]))],
                .field("f", .between(.int64(1), .int64(2)))
            ),
            ("f CONTAINS %@", [.value(.list(.int64, [.int64(1)]))], .field("f", .containsAll([.int64(1)]))),
            ("f CONTAINS %@", [.value(.int64(1))], .field("f", .contains(.int64(1)))),
            ("%@ IN f", [.value(.string("a"))], .anyElement("f", .relation(.equal, .string("a")))),
            ("ANY %@ IN f", [.value(.list(.string, [.string("a")]))], .anyElement("f", .oneOf([.string("a")]))),
            ("ALL %@ IN f", [.value(.list(.string, [.string("a")]))], .field("f", .containsAll([.string("a")]))),
            ("f BEGINSWITH[c] %s", [.value(.string("p"))], .field("f", .text(.beginsWith, "p", .caseInsensitive))),
            ("ALL tokenize(%@, 'Cdl') IN allTokens", [.value(.string("bob"))], .search("bob")),
            (
                "distanceToLocation:fromLocation:(%K, %@) < %f",
                [.keyPath("place"), .value(.location(paris)), .value(.double(9.5))],
                .field("place", .distance(.less, paris, metres: 9.5))
            ),
            (
                "f == location(%f, %f)", [.value(.int64(1)), .value(.double(2))],
                .field("f", .relation(.equal, .location(1, 2)))
            ),
            ("f == reference(%@)", [.value(.string("r"))], .field("f", .relation(.equal, .reference("r")))),
            (
                "f > CAST(%f, 'NSDate')", [.value(.double(0.001))],
                .field("f", .relation(.greater, .timestamp(978_307_200_001)))
            ),
            ("f > now() - %d", [.value(.int64(1))], .field("f", .relation(.greater, .timestamp(0)))),
            ("f == '%@'", [], .field("f", .relation(.equal, .string("%@")))),
        ] as [(String, [FormatArgument], Predicate)])
    func argumentsArePutIn(format: String, arguments: [FormatArgument], expected: Predicate) throws {
        #expect(try Predicate.reading(format, arguments) == expected)
    }

    @Test(arguments: [
        "%d", "%D", "%i", "%u", "%U", "%x", "%X", "%o", "%f", "%F", "%e", "%E", "%g", "%G", "%a", "%ld", "%lu", "%lld",
        "%llu", "%lf", "%hd", "%hhu", "%qi", "%zd", "%Lf",
    ])
    func anyOfTheNumericPlacesTakesAnyNumber(place: String) throws {
        let expected = { Predicate.field("f", .relation(.equal, $0)) }
        #expect(try Predicate.reading("f == \(place)", [.value(.int64(5))]) == expected(.int64(5)))
        #expect(try Predicate.reading("f == \(place)", [.value(.double(0.5))]) == expected(.double(0.5)))
    }

    @Test func argumentsAreValuesWhateverTheyHold() throws {
        let injection = "x' OR TRUEPREDICATE OR f == '"
        #expect(
            try Predicate.reading("f == %@", [.value(.string(injection))])
                == .field("f", .relation(.equal, .string(injection))))
    }
}
