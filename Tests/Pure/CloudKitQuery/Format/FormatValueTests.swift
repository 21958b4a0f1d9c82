import CloudKitModel
import CloudKitQuery
import Testing

struct FormatValueTests {
    @Test(
        arguments: [
            ("''", .string("")), ("'a'", .string("a")), ("\"a\"", .string("a")), ("'\"'", .string("\"")),
            ("\"it's\"", .string("it's")), ("'it\\'s'", .string("it's")),
            ("'\\\\ \\\" \\n\\t\\r'", .string("\\ \" \n\t\r")),
            ("'\\b\\f'", .string("\u{8}\u{C}")), ("'\\u00e9\\u00E9'", .string("éé")),
            ("'\\uD83E\\uDD8A'", .string("🦊")), ("'🦊 größe'", .string("🦊 größe")), ("'a\nb'", .string("a\nb")),
            ("'%@ %% $x #y'", .string("%@ %% $x #y")), ("'\u{301}'", .string("\u{301}")),
            ("'a\r\n'", .string("a\r\n")), ("0", .int64(0)), ("007", .int64(7)), ("-5", .int64(-5)), ("+5", .int64(5)),
            ("- 5", .int64(-5)), ("9223372036854775807", .int64(.max)), ("-9223372036854775808", .int64(.min)),
            ("9223372036854775808", .double(9_223_372_036_854_775_808)), ("0x1F", .int64(31)), ("0XfF", .int64(255)),
            ("-0x8000000000000000", .int64(.min)), ("0b101", .int64(5)), ("0o17", .int64(15)), ("1.5", .double(1.5)),
            (".5", .double(0.5)), ("5.", .double(5)), ("-.5", .double(-0.5)), ("5.0", .double(5)),
            ("1e3", .double(1000)),
            ("1E+3", .double(1000)), ("25e-1", .double(2.5)), ("1e-400", .double(0)), ("TRUE", .int64(1)),
            ("yes", .int64(1)), ("False", .int64(0)), ("NO", .int64(0)), ("reference('r')", .reference("r")),
            ("REFERENCE(\"r\")", .reference("r")), ("location(48.85, -2)", .location(48.85, -2)),
            ("CAST(\"12\", \"NSNumber\")", .int64(12)), ("cast('-1.5', 'NSNumber')", .double(-1.5)),
            ("CAST(3, \"NSNumber\")", .int64(3)), ("CAST(0x10, 'NSNumber')", .int64(16)),
        ] as [(String, FieldValue)])
    func aLiteralIsAValue(literal: String, value: FieldValue) throws {
        #expect(try Predicate.reading("f == \(literal)") == .field("f", .relation(.equal, value)))
        #expect(try Predicate.reading("f IN {\(literal),\(literal)}") == .field("f", .oneOf([value, value])))
    }

    @Test(
        arguments: [
            ("CAST(0, \"NSDate\")", 978_307_200_000), ("CAST(-978307200, \"NSDate\")", 0),
            ("CAST(543267890.123000, \"NSDate\")", 1_521_575_090_123), ("CAST(0.0005, 'NSDate')", 978_307_200_001),
            ("CAST(0.00049999, 'NSDate')", 978_307_200_000), ("CAST(-0.0015, 'NSDate')", 978_307_199_998),
            ("CAST(1e3, 'NSDate')", 978_308_200_000), ("CAST(1e-999999999999999999999, 'NSDate')", 978_307_200_000),
            ("CAST(9223371058547575.807, 'NSDate')", .max), ("CAST(-9223373015161975.808, 'NSDate')", .min),
            ("CAST(CAST(1, 'NSDate'), 'NSDate')", 978_307_201_000), ("CAST('1970-01-01T00:00:00Z', 'NSDate')", 0),
            ("CAST(\"2026-01-15T18:00:00Z\", \"NSDate\")", 1_768_500_000_000),
            ("CAST('2026-01-15T19:30:00.25+01:30', 'NSDate')", 1_768_500_000_250),
            ("CAST('2026-01-15T17:00-0100', 'NSDate')", 1_768_500_000_000),
            ("CAST('2000-02-29T23:59:59.9996Z', 'NSDate')", 951_868_800_000),
            ("CAST('0001-01-01T00:00:00Z', 'NSDate')", -62_135_596_800_000),
            ("CAST('9999-12-31T23:59:59Z', 'NSDate')", 253_402_300_799_000), ("now()", 1_000), ("NOW( )", 1_000),
            ("now() - 3600", -3_599_000), ("now()-1", 0), ("now() + 1.5", 2_500), ("now() - 1 + 0.001", 1),
            ("now() + -1", 0), ("CAST(now() - 1, 'NSDate')", 0),
        ] as [(String, Int64)])
    func aDateIsATimestamp(literal: String, milliseconds: Int64) throws {
        #expect(try Predicate.reading("at > \(literal)") == .field("at", .relation(.greater, .timestamp(milliseconds))))
    }

    @Test func aReferenceHasAZoneAndAnOwner() throws {
        let zone = ZoneID(zoneName: ZoneName(unchecked: "z"))
        #expect(
            try Predicate.reading("f == reference('r', 'z')")
                == .field("f", .relation(.equal, .reference(Reference(recordName: "r", zoneID: zone)))))
        let owned = ZoneID(zoneName: ZoneName(unchecked: "z"), ownerRecordName: UserName(unchecked: "_world"))
        #expect(
            try Predicate.reading("f == reference('r', 'z', '_world')")
                == .field("f", .relation(.equal, .reference(Reference(recordName: "r", zoneID: owned)))))
    }

    @Test func textsKeepTheirScalars() throws {
        guard case .comparison(let comparison) = try Predicate.reading("f == 'e\u{301}'"),
            case .relation(_, .string(let text), _) = comparison.test
        else {
            Issue.record("not a relation with a text")
            return
        }
        #expect(Array(text.unicodeScalars) == ["e", "\u{301}"])
    }
}
