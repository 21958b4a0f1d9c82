import CloudKitModel
import CloudKitWire
import Testing

struct CountedSizeTests {
    static let cases: [(FieldValue, Int)] = [
        (.string("Größe"), 7), (.string(""), 0), (.bytes([1, 2, 3]), 3), (.int64(1), 8), (.double(0.1), 8),
        (.timestamp(0), 8), (.location(Location(latitude: 1, longitude: 2)), 64),
        (.reference(Reference(recordName: "abc")), 4),
        (
            .reference(
                Reference(
                    recordName: "abc",
                    zoneID: ZoneID(zoneName: ZoneName(unchecked: "zone"), ownerRecordName: UserName(unchecked: "_u")))),
            10
        ),
        (.asset(Asset(fileChecksum: "x", size: 1)), 0),
        (.list(.string, [.string("ab"), .string("c")]), 7), (.list(.int64, []), 0), (.list([], of: nil), 0),
    ]

    @Test(arguments: cases)
    func valuesCountByTheRule(value: FieldValue, size: Int) { #expect(value.countedSize == size) }

    @Test func fieldsCountTheirNamesExceptAssets() {
        #expect(FieldValue.int64(1).countedSize(named: "count") == 13)
        #expect(FieldValue.asset(Asset()).countedSize(named: "file") == 0)
    }

    @Test func storedFieldsCountTheSameWithoutBeingDecoded() {
        for (value, _) in Self.cases {
            guard let type = value.type else { continue }
            var fields = StoredFields()
            fields.set("field", value)
            #expect(fields.countedSize { _ in type }.total == value.countedSize(named: "field"), "\(value)")
        }
    }

    @Test(arguments: ["", "a", "ab", "abc", "abcd", "a\"b\\\n", "🦊\u{1}"])
    func textAndBytesOfAnyLengthCountExactly(text: String) {
        var fields = StoredFields()
        fields.set("s", .string(text))
        fields.set("b", .bytes(Array(text.utf8)))
        let size = fields.countedSize { $0 == "s" ? .string : .bytes }
        #expect(size.total == 2 + 2 * text.utf8.count)
    }

    @Test func theThreeLargestAreNamed() {
        var fields = StoredFields()
        for (name, count) in [("a", 10), ("b", 400), ("c", 30), ("d", 200)] {
            fields.set(name, .string(String(repeating: "x", count: count)))
        }
        let size = fields.countedSize { _ in .string }
        #expect(size.total == 644)
        #expect(size.largest.map(\.name) == ["b", "d", "c"])
        let error = ServerError.recordTooLarge(limit: 500, actual: size.total, largest: size.largest)
        #expect(
            error.reason == "record too large: 644 bytes; the limit is 500; largest fields: 'b' 401, 'd' 201, 'c' 31")
        #expect(error.reasonCode == "record_too_large")
        #expect(error.ckErrorCode == 27)
        #expect((error.limit, error.actual) == (500, 644))
    }
}
