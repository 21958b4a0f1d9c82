import CloudKitModel
import CloudKitQuery
import Testing

struct FormatComparisonTests {
    @Test(
        arguments: [
            ("=", .equal), ("==", .equal), ("!=", .notEqual), ("<>", .notEqual), ("<", .less), ("<=", .lessOrEqual),
            ("=<", .lessOrEqual), (">", .greater), (">=", .greaterOrEqual), ("=>", .greaterOrEqual),
        ] as [(String, Relation)])
    func aRelationIsReadWithAndWithoutSpaces(spelling: String, relation: Relation) throws {
        let expected = Predicate.field("n", .relation(relation, .int64(5)))
        #expect(try Predicate.reading("n \(spelling) 5") == expected)
        #expect(try Predicate.reading("n\(spelling)5") == expected)
        #expect(try Predicate.reading(" n\n\(spelling)\t5 ") == expected)
    }

    @Test(
        arguments: [
            ("5 == n", .equal), ("5 != n", .notEqual), ("5 < n", .greater), ("5 <= n", .greaterOrEqual),
            ("5 > n", .less), ("5 => n", .lessOrEqual),
        ] as [(String, Relation)])
    func aValueOnTheLeftTurnsTheRelationRound(format: String, relation: Relation) throws {
        #expect(try Predicate.reading(format) == .field("n", .relation(relation, .int64(5))))
    }

    @Test(
        arguments: [
            ("'x' == f", .field("f", .relation(.equal, .string("x")))),
            ("f ==[c] 'x'", .field("f", .relation(.equal, .string("x"), .caseInsensitive))),
            (
                "f !=[dc] 'x'",
                .field("f", .relation(.notEqual, .string("x"), [.caseInsensitive, .diacriticInsensitive]))
            ),
            ("f == [D] 'x'", .field("f", .relation(.equal, .string("x"), .diacriticInsensitive))),
            ("'x' ==[c] f", .field("f", .relation(.equal, .string("x"), .caseInsensitive))),
            ("f == nil", .not(.field("f", .exists))), ("f = NULL", .not(.field("f", .exists))),
            ("f != Nil", .field("f", .exists)), ("null <> f", .field("f", .exists)),
            ("f BETWEEN {1, 2}", .field("f", .between(.int64(1), .int64(2)))),
            ("f between{-1.5,'a'}", .field("f", .between(.double(-1.5), .string("a")))),
            ("f IN {1, 2}", .field("f", .oneOf([.int64(1), .int64(2)]))), ("f in {}", .field("f", .oneOf([]))),
            ("f IN[cd] {'a'}", .field("f", .oneOf([.string("a")], [.caseInsensitive, .diacriticInsensitive]))),
            ("f BEGINSWITH 'p'", .field("f", .text(.beginsWith, "p"))),
            ("f endswith[c] 'p'", .field("f", .text(.endsWith, "p", .caseInsensitive))),
            ("f Like[cd] 'p*'", .field("f", .text(.like, "p*", [.caseInsensitive, .diacriticInsensitive]))),
            ("f MATCHES '^a.*'", .field("f", .text(.matches, "^a.*"))),
            ("f CONTAINS 5", .field("f", .contains(.int64(5)))),
            ("f CONTAINS[c] 'Cupertino'", .field("f", .contains(.string("Cupertino"), .caseInsensitive))),
            ("f CONTAINS {'a', 'b'}", .field("f", .containsAll([.string("a"), .string("b")]))),
            ("f CONTAINS {}", .field("f", .containsAll([]))),
        ] as [(String, Predicate)])
    func aComparisonOfAFieldIsRead(format: String, expected: Predicate) throws {
        #expect(try Predicate.reading(format) == expected)
    }

    @Test(
        arguments: [
            ("ANY f == 1", .anyElement("f", .relation(.equal, .int64(1)))),
            ("some f > 1", .anyElement("f", .relation(.greater, .int64(1)))),
            ("ANY f ==[c] 'a'", .anyElement("f", .relation(.equal, .string("a"), .caseInsensitive))),
            ("ANY f IN {1}", .anyElement("f", .oneOf([.int64(1)]))),
            ("ANY f BEGINSWITH 'p'", .anyElement("f", .text(.beginsWith, "p"))),
            ("ANY f BETWEEN {1, 2}", .anyElement("f", .between(.int64(1), .int64(2)))),
            ("ANY f CONTAINS[d] 'x'", .anyElement("f", .contains(.string("x"), .diacriticInsensitive))),
            ("NONE f == 1", .not(.anyElement("f", .relation(.equal, .int64(1))))),
            ("none f IN {1}", .not(.anyElement("f", .oneOf([.int64(1)])))),
            ("NONE {1} IN f", .not(.anyElement("f", .oneOf([.int64(1)])))),
            ("NOT NONE f == 1", .not(.not(.anyElement("f", .relation(.equal, .int64(1)))))),
            ("1 IN f", .anyElement("f", .relation(.equal, .int64(1)))),
            ("'a' IN[c] f", .anyElement("f", .relation(.equal, .string("a"), .caseInsensitive))),
            ("ANY {1, 2} IN f", .anyElement("f", .oneOf([.int64(1), .int64(2)]))),
            ("SOME {'a'} IN[c] f", .anyElement("f", .oneOf([.string("a")], .caseInsensitive))),
            ("ALL {1, 2} IN f", .field("f", .containsAll([.int64(1), .int64(2)]))),
        ] as [(String, Predicate)])
    func aComparisonOfElementsIsRead(format: String, expected: Predicate) throws {
        #expect(try Predicate.reading(format) == expected)
    }

    @Test(
        arguments: [
            ("self CONTAINS 'bob smith'", .search("bob smith")), ("SELF contains[cdl] 'bob'", .search("bob")),
            ("allTokens CONTAINS[cd] 'bob'", .search("bob")), ("allTokens TOKENMATCHES[cdl] 'bob'", .search("bob")),
            ("self TOKENMATCHES[n] 'bob'", .search("bob")), ("allTokens TOKENMATCHES 'bob'", .search("bob")),
            ("ALL tokenize('bob', 'Cdl') IN allTokens", .search("bob")),
            ("all TOKENIZE(\"bob\", \"Cdl\") in self", .search("bob")),
            ("ANY tokenize('bob', '') IN allTokens", .search("bob", .any)),
            ("SOME tokenize('bob', 'cdln') IN self", .search("bob", .any)),
            ("NONE tokenize('bob', 'Cdl') IN allTokens", .not(.search("bob", .any))),
            ("f TOKENMATCHES[cdl] 'bob'", .field("f", .tokens("bob", .all))),
            ("ALL tokenize('bob', 'Cdl') IN f", .field("f", .tokens("bob", .all))),
            ("ANY tokenize('bob', 'Cdl') IN f", .field("f", .tokens("bob", .any))),
            ("self == reference('r')", .record(.relation(.equal, .reference("r")))),
            ("reference('r') != SELF", .record(.relation(.notEqual, .reference("r")))),
            ("self IN {reference('r'), reference('s')}", .record(.oneOf([.reference("r"), .reference("s")]))),
            ("recordID == 'r'", .record(.relation(.equal, .string("r")))),
        ] as [(String, Predicate)])
    func aSearchOrTheRecordItselfIsRead(format: String, expected: Predicate) throws {
        #expect(try Predicate.reading(format) == expected)
    }

    @Test(
        arguments: [
            ("distanceToLocation:fromLocation:(place, location(48.85, 2.35)) < 1000", .less),
            ("distanceToLocation:fromLocation:(location(48.85, 2.35), place) <= 1e3", .lessOrEqual),
            ("DISTANCETOLOCATION:FROMLOCATION: ( place , location(48.85, 2.35) ) > 1000.0", .greater),
            ("1000 > distanceToLocation:fromLocation:(place, location(48.85, 2.35))", .less),
            ("1000 <= distanceToLocation:fromLocation:(place, location(48.85, 2.35))", .greaterOrEqual),
        ] as [(String, Relation)])
    func aDistanceIsRead(format: String, relation: Relation) throws {
        let paris = Location(latitude: 48.85, longitude: 2.35)
        #expect(try Predicate.reading(format) == .field("place", .distance(relation, paris, metres: 1000)))
    }

    @Test(
        arguments: [
            ("recordID", .system(.recordName)), ("___recordId", .system(.recordName)),
            ("creationDate", .system(.createdTimestamp)), ("___modTime", .system(.modifiedTimestamp)),
            ("creatorUserRecordID", .system(.createdUserRecordName)), ("share", .system(.share)),
            ("title", .field("title")), ("_x9", .field("_x9")), ("RecordID", .field("RecordID")),
            ("location", .field("location")), ("now", .field("now")), ("cast", .field("cast")),
            ("#and", .field("and")), ("#IN", .field("IN")), ("#title", .field("title")), ("#self", .field("self")),
            ("#allTokens", .field("allTokens")),
        ] as [(String, QueryKey)])
    func aNameIsAKey(name: String, key: QueryKey) throws {
        #expect(
            try Predicate.reading("\(name) == 1") == .comparison(Comparison(key, .value, .relation(.equal, .int64(1)))))
    }
}
