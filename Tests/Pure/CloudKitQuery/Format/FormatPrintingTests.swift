import CloudKitModel
import CloudKitQuery
import Testing

struct FormatPrintingTests {
    private static let a = Predicate.field("a", .relation(.equal, .int64(1)))
    private static let b = Predicate.field("b", .relation(.less, .double(5)))
    private static let paris = Location(latitude: 48.85, longitude: 2.35)

    @Test(
        arguments: [
            (.all, "TRUEPREDICATE"), (.nothing, "FALSEPREDICATE"), (.and([a]), "a == 1"),
            (.and([a, b, .or([a, b])]), "a == 1 AND b < 5.0 AND (a == 1 OR b < 5.0)"),
            (.or([.and([a, b]), .all]), "a == 1 AND b < 5.0 OR TRUEPREDICATE"),
            (.and([a, .nothing]), "a == 1 AND FALSEPREDICATE"),
            (.not(.and([a, b])), "NOT (a == 1 AND b < 5.0)"), (.not(.or([a, b])), "NOT (a == 1 OR b < 5.0)"),
            (.not(.all), "NOT TRUEPREDICATE"), (.not(.not(a)), "NOT NOT a == 1"), (.field("f", .exists), "f != nil"),
            (.not(.field("f", .exists)), "f == nil"), (.not(.not(.field("f", .exists))), "NOT f == nil"),
            (.field("f", .relation(.equal, .string("it's\n"), .caseInsensitive)), "f ==[c] 'it\\'s\\n'"),
            (.field("f", .between(.int64(.min), .double(1e23))), "f BETWEEN {-9223372036854775808, 1e+23}"),
            (
                .field("f", .oneOf([.string("\u{1}"), .string("\\")], [.caseInsensitive, .diacriticInsensitive])),
                "f IN[cd] {'\\u0001', '\\\\'}"
            ),
            (.field("f", .oneOf([])), "f IN {}"),
            (.field("f", .text(.like, "a*", .diacriticInsensitive)), "f LIKE[d] 'a*'"),
            (.anyElement("f", .contains(.string("x"))), "ANY f CONTAINS 'x'"),
            (.field("f", .containsAll([.int64(1)])), "f CONTAINS {1}"),
            (.search("bob"), "allTokens TOKENMATCHES[cdl] 'bob'"),
            (.search("bob", .any), "ANY tokenize('bob', 'Cdl') IN allTokens"),
            (
                .field("f", .distance(.lessOrEqual, paris, metres: 1000)),
                "distanceToLocation:fromLocation:(f, location(48.85, 2.35)) <= 1000.0"
            ),
            (.record(.relation(.equal, .reference("r"))), "recordID == reference('r')"),
            (.field("f", .relation(.less, .timestamp(978_307_200_000))), "f < CAST(0, \"NSDate\")"),
            (.field("f", .relation(.less, .timestamp(978_307_199_990))), "f < CAST(-0.01, \"NSDate\")"),
            (.field("f", .relation(.less, .timestamp(.min))), "f < CAST(-9223373015161975.808, \"NSDate\")"),
            (.field("and", .exists), "#and != nil"), (.field("self", .exists), "#self != nil"),
            (.field("recordID", .exists), "#recordID != nil"), (.field("location", .exists), "location != nil"),
        ] as [(Predicate, String)])
    func aTreeIsSpelled(tree: Predicate, format: String) throws {
        #expect(tree.format == format)
        #expect(try Predicate.reading(format) == tree.flattened)
    }

    /// Trees to which no format is parsed.
    @Test(
        arguments: [
            (.field("f", .relation(.equal, .bytes([1, 2, 255]))), "f == CAST(\"AQL/\", \"NSData\")"),
            (.field("f", .relation(.equal, .asset(Asset(fileChecksum: "x")))), "f == CAST('x', \"NSData\")"),
            (.field("f", .relation(.equal, .list(.int64, [.int64(1)]))), "f == {1}"),
            (.field("a == 1 OR b", .exists), "#'a == 1 OR b' != nil"), (.field("", .exists), "#'' != nil"),
            (.anyElement("f", .tokens("x", .all)), "ANY f TOKENMATCHES[cdl] 'x'"),
            (.not(.anyElement("f", .exists)), "NOT ANY f != nil"),
            (.field("f", .relation(.equal, .double(.infinity))), "f == inf"),
            (.field("f", .relation(.equal, .double(.nan))), "f == nan"),
            (.field("f", .relation(.equal, .string("\0"))), "f == '\\u0000'"),
            (.field("f", .relation(.less, .string("x"), .caseInsensitive)), "f <[c] 'x'"),
        ] as [(Predicate, String)])
    func whatHasNoFormatIsSpelledAsWhatIsRefused(tree: Predicate, format: String) {
        #expect(tree.format == format)
        #expect(throws: PredicateFormatError.self) { try Predicate.reading(format) }
    }

    @Test func whatIsNotComparedIsLeftOut() throws {
        var place = Self.paris
        place.altitude = 35
        let reference = Reference(recordName: "r", action: .deleteSelf)
        #expect(Predicate.field("f", .relation(.equal, .reference(reference))).format == "f == reference('r')")
        #expect(Predicate.field("f", .relation(.equal, .location(place))).format == "f == location(48.85, 2.35)")
    }
}
