import CloudKitModel
import CloudKitWire
import Testing

struct FieldCoercionTests {
    private func coerced(_ dictionary: String, _ type: FieldType, numbersAsStrings: Bool = false) throws -> FieldValue?
    {
        try field(dictionary).value(as: type, recordType: "Note", numbersAsStrings: numbersAsStrings)
    }

    @Test(arguments: [
        ("1", FieldType.double, FieldValue.double(1)), ("1768500000000", .timestamp, .timestamp(1_768_500_000_000)),
        ("2.0", .int64, .int64(2)), ("1768500000000.0", .timestamp, .timestamp(1_768_500_000_000)),
        (#""AAE=""#, .bytes, .bytes([0, 1])), ("true", .int64, .int64(1)), ("[]", .list(.bytes), .list(.bytes, [])),
        ("[1,2]", .list(.double), .list(.double, [.double(1), .double(2)])),
        (#"["AA=="]"#, .list(.bytes), .list(.bytes, [.bytes([0])])), (#""x""#, .string, .string("x")),
        (#""AA==""#, FieldType(.bytes, isEncrypted: true), .bytes([0])), ("1", .number, .int64(1)),
        ("1.0", .number, .double(1)), ("9007199254740993", .number, .int64(9_007_199_254_740_993)),
        ("2.5", .number(preferredAs: .int64), .double(2.5)),
    ])
    func untaggedValuesBecomeWhatTheSchemaSays(json: String, type: FieldType, value: FieldValue) throws {
        #expect(try coerced(#"{"value":\#(json)}"#, type) == value)
    }

    @Test(arguments: [
        (#""12""#, FieldType.int64, FieldValue.int64(12)), (#""-5""#, .timestamp, .timestamp(-5)),
        (#""0.5""#, .double, .double(0.5)), (#""12""#, .number, .int64(12)), (#""0.5""#, .number, .double(0.5)),
        (#"["1"]"#, .list(.int64), .list(.int64, [.int64(1)])),
    ])
    func numbersInStringsAreTakenFromClientsThatWantThemSo(json: String, type: FieldType, value: FieldValue) throws {
        #expect(try coerced(#"{"value":\#(json)}"#, type, numbersAsStrings: true) == value)
        #expect(throws: ServerError.self) { try coerced(#"{"value":\#(json)}"#, type) }
    }

    @Test(arguments: [
        (#"{"value":"x"}"#, FieldType.int64, "STRING", "INT64"), (#"{"value":1.5}"#, .int64, "DOUBLE", "INT64"),
        (#"{"value":1e300}"#, .int64, "DOUBLE", "INT64"),
        (#"{"value":9223372036854775808}"#, .int64, "DOUBLE", "INT64"),
        (#"{"value":1.5}"#, .timestamp, "DOUBLE", "TIMESTAMP"), (#"{"value":"?"}"#, .bytes, "STRING", "BYTES"),
        (#"{"value":1,"type":"INT64"}"#, .double, "INT64", "DOUBLE"),
        (#"{"value":[],"type":"STRING_LIST"}"#, .list(.int64), "STRING_LIST", "INT64_LIST"),
        (#"{"value":"x"}"#, .list(.string), "STRING", "STRING_LIST"),
        (#"{"value":[1]}"#, .list(.string), "INT64_LIST", "STRING_LIST"),
        (#"{"value":"x"}"#, .number, "STRING", "NUMBER"),
        (#"{"value":1,"type":"TIMESTAMP"}"#, .number, "TIMESTAMP", "NUMBER"),
        (#"{"value":[1],"type":"INT64_LIST"}"#, .number, "INT64_LIST", "NUMBER"),
        (
            #"{"value":"x","type":"STRING"}"#, FieldType(.string, isEncrypted: true), "ENCRYPTED_BYTES",
            "ENCRYPTED_STRING"
        ),
    ])
    func otherValuesAreRefusedWithBothTypes(
        dictionary: String, type: FieldType, given: String, defined: String
    ) throws {
        let field = try field(dictionary)
        let error = serverError { () throws(ServerError) in try field.value(as: type, recordType: "Note") }
        #expect(error == .wrongValueType(given, field: "f", recordType: "Note", defined: defined))
    }

    @Test(arguments: ["[]", "[1]"]) func aListIsNoSingleValue(json: String) throws {
        let field = try field(#"{"value":\#(json)}"#)
        let error = serverError { () throws(ServerError) in try field.value(as: .string, recordType: "Note") }
        #expect(error?.reason == "Invalid value, expected type STRING but actual value was a list")
        #expect(error?.field == "f")
    }

    @Test(arguments: ["INT64", "DOUBLE"]) func numbersOfBothKindsAreNumbers(type: String) throws {
        let value = try coerced(#"{"value":1,"type":"\#(type)"}"#, .number)
        #expect(value == (type == "INT64" ? .int64(1) : .double(1)))
    }

    @Test(arguments: ["nan", "inf", "0x10", "", "1e400"])
    func onlyJSONNumbersInStringsAreNumbers(text: String) throws {
        #expect(throws: ServerError.self) { try coerced(#"{"value":"\#(text)"}"#, .double, numbersAsStrings: true) }
    }

    @Test func encryptedValuesNeedAnEncryptedField() throws {
        let encrypted = try field(#"{"value":"x","type":"STRING","isEncrypted":true}"#)
        let error = serverError { () throws(ServerError) in try encrypted.value(as: .string, recordType: "Note") }
        #expect(error == .encryptedValueForPlainField(field: "f"))
        #expect(try encrypted.value(as: FieldType(.string, isEncrypted: true), recordType: "Note") == .string("x"))
    }

    @Test func clearingNeedsNoType() throws {
        #expect(try coerced(#"{"value":null,"type":"STRING"}"#, .double) == nil)
    }
}
