import CloudKitModel
import CloudKitWire
import Testing

/// NUMBER fields, from the stored value to the answer.
struct NumberFieldTests {
    private func reported(_ fields: StoredFields, _ type: FieldType, numbersAsStrings: Bool = false) throws -> WireField
    {
        let reply = written { writer in
            writer.record(
                FieldRoundTripTests.envelope, fields: fields, types: { _ in type }, numbersAsStrings: numbersAsStrings)
        }
        return try #require(
            try WireReply(decoding: Array(#"{"records":[\#(reply)]}"#.utf8)).records?[0].record.fields.first)
    }

    @Test(arguments: [
        FieldValue.int64(0), .int64(-1), .int64(9_007_199_254_740_993), .int64(.max), .int64(.min), .double(0.5),
        .double(1), .double(-3), .double(0x1p53), .double(1e16), .double(-1e18), .double(-0x1p63), .double(0x1p63),
        .double(1e300), .double(5e-324),
    ])
    func eachNumberStaysWhatItIs(value: FieldValue) throws {
        var fields = StoredFields()
        fields.set("n", value)
        #expect(try fields.value("n", as: .number) == value)
        let field = try reported(fields, .number)
        #expect(field.value == value)
        #expect(field.declaredType == value.type)
    }

    @Test(arguments: [
        ("1", FieldType.NumberPreference.int64, FieldValue.int64(1)), ("1.0", .int64, .int64(1)),
        ("1.5", .int64, .double(1.5)), ("1", .double, .double(1)), ("1.5", .double, .double(1.5)),
        ("10000000000000000.0", .int64, .int64(10_000_000_000_000_000)),
    ])
    func aPreferenceDecidesUnlessSomethingWouldBeLost(
        stored: String, preference: FieldType.NumberPreference, value: FieldValue
    ) throws {
        let fields = try StoredFields(parsing: Array(#"{"n": \#(stored)}"#.utf8))
        let field = try reported(fields, .number(preferredAs: preference))
        #expect(field.value == value)
        #expect(field.declaredType == value.type)
    }

    @Test func numbersBecomeStringsOnRequest() throws {
        let fields = try StoredFields(parsing: Array(#"{"n": 9007199254740993}"#.utf8))
        let field = try reported(fields, .number, numbersAsStrings: true)
        #expect(field.value == .int64(9_007_199_254_740_993))
    }

    @Test func aNumberCountsEightBytes() throws {
        var fields = StoredFields()
        fields.set("n", .double(1e300))
        #expect(fields.countedSize(types: { _ in .number }).total == 9)
    }
}
