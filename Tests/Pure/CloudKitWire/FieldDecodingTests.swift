import CloudKitModel
import CloudKitWire
import Testing

struct FieldDecodingTests {
    @Test(arguments: [
        ("1", FieldValue.int64(1)), ("1.5", .double(1.5)), (#""x""#, .string("x")), ("true", .int64(1)),
        ("100000000000000000000", .double(1e20)), ("[]", .list([], of: nil)),
        ("[1,2]", .list(.int64, [.int64(1), .int64(2)])),
        ("[1,2.5]", .list(.double, [.double(1), .double(2.5)])), (#"["a"]"#, .list(.string, [.string("a")])),
        (#"{"recordName":"r"}"#, .reference(Reference(recordName: "r"))),
        (#"{"longitude":2,"latitude":1}"#, .location(Location(latitude: 1, longitude: 2))),
        (#"{"receipt":"r","size":3}"#, .asset(Asset(size: 3, receipt: "r"))),
    ])
    func untaggedValuesAreInferredFromTheirShape(json: String, value: FieldValue) throws {
        let field = try field(#"{"value":\#(json)}"#)
        #expect(field.value == value)
        #expect(field.declaredType == nil)
    }

    @Test(arguments: [
        (#"{"value":1}"#, FieldType.number), (#"{"value":1.5}"#, .number), (#"{"value":true}"#, .number),
        (#"{"value":1,"type":"INT64"}"#, .int64), (#"{"value":1,"type":"DOUBLE"}"#, .double),
        (#"{"value":[1]}"#, .list(.int64)), (#"{"value":[1,2.5]}"#, .list(.double)),
        (#"{"value":1,"isEncrypted":true}"#, FieldType(.int64, isEncrypted: true)), (#"{"value":"x"}"#, .string),
        (#"{"value":"x","isEncrypted":true}"#, FieldType(.string, isEncrypted: true)),
        (#"{"value":{"recordName":"r"}}"#, .reference), (#"{"value":[],"type":"STRING_LIST"}"#, .list(.string)),
    ])
    func aNewFieldIsOfTheDeclaredTypeOrTheValues(dictionary: String, type: FieldType) throws {
        #expect(try field(dictionary).inferredType() == type)
    }

    @Test(arguments: [
        (#"{"value":[]}"#, "empty_list_new_field"),
        (#"{"value":{"recordName":"r"},"isEncrypted":true}"#, "type_never_encrypted"),
        (#"{"value":[{"recordName":"r"}],"type":"REFERENCE_LIST","isEncrypted":true}"#, "type_never_encrypted"),
        (#"{"value":{"receipt":"r"},"type":"ENCRYPTED_ASSETID"}"#, "type_never_encrypted"),
    ])
    func someValuesMakeNoField(dictionary: String, code: String) throws {
        let field = try field(dictionary)
        let error = serverError { () throws(ServerError) in try field.inferredType() }
        #expect(error?.reasonCode == code)
        #expect(error?.field == "f")
    }

    @Test(arguments: ["LIST", "UNKNOWN_LIST"])
    func untypedListsAreInferred(type: String) throws {
        let field = try field(#"{"value":["a"],"type":"\#(type)"}"#)
        #expect(field.value == .list(.string, [.string("a")]))
        #expect(field.declaredType == nil)
    }

    @Test(arguments: [
        (#"STRING\u005fLIST"#, FieldType.list(.string)), (#"\u0053TRING_LIST"#, .list(.string)),
        ("ASSET_LIST", .list(.asset)),
        ("ENCRYPTED_STRING_LIST", FieldType(.string, isList: true, isEncrypted: true)), ("BYTE", .bytes),
    ])
    func typesAreReadHoweverTheyAreSpelled(name: String, type: FieldType) throws {
        let value = type.isList ? "[]" : #""""#
        #expect(try field(#"{"type":"\#(name)","value":\#(value)}"#).declaredType == type)
        #expect(try field(#"{"value":\#(value),"type":"\#(name)"}"#).declaredType == type)
    }

    @Test(arguments: ["null", "{}", #"{"value":null}"#, #"{"value":null,"type":"STRING"}"#, #"{"type":"STRING"}"#])
    func fieldsWithoutAValueAreCleared(dictionary: String) throws {
        #expect(try field(dictionary).value == nil)
    }

    @Test func encryptionIsKeptWithAndWithoutAType() throws {
        #expect(try field(#"{"value":"x","isEncrypted":true}"#).isEncrypted)
        #expect(try field(#"{"value":"AA==","type":"ENCRYPTED_BYTES"}"#).isEncrypted)
        #expect(try !field(#"{"value":"x","type":"STRING","isEncrypted":null}"#).isEncrypted)
    }

    @Test func locationsIgnoreUnknownKeysAndNulls() throws {
        let json = #"{"latitude":1,"longitude":2,"altitude":null,"floor":3,"timestamp":4}"#
        var location = Location(latitude: 1, longitude: 2)
        location.timestamp = 4
        #expect(try field(#"{"value":\#(json),"type":"LOCATION"}"#).value == .location(location))
    }

    @Test(arguments: [
        (#"{"value":1.5,"type":"TIMESTAMP"}"#, "invalid_value", "Invalid value, expected type TIMESTAMP (field 'f')"),
        (#"{"value":9223372036854775808,"type":"INT64"}"#, "invalid_value", "Invalid value, expected type INT64"),
        (#"{"value":-9223372036854775809,"type":"INT64"}"#, "invalid_value", "Invalid value, expected type INT64"),
        (#"{"value":1.5,"type":"INT64"}"#, "invalid_value", "Invalid value, expected type INT64"),
        (#"{"value":"1x","type":"INT64"}"#, "invalid_value", "Invalid value, expected type INT64"),
        (#"{"value":1,"type":"STRING"}"#, "invalid_value", "Invalid value, expected type STRING"),
        (
            #"{"value":["a"],"type":"STRING"}"#, "invalid_value",
            "Invalid value, expected type STRING but actual value was a list (field 'f')"
        ),
        (
            #"{"value":[[1]],"type":"INT64_LIST"}"#, "invalid_value",
            "Invalid value, expected type INT64 but actual value was a list (field 'f')"
        ),
        (#"{"value":"a","type":"STRING_LIST"}"#, "invalid_value", "Invalid value, expected type STRING_LIST"),
        (#"{"value":[1],"type":"STRING_LIST"}"#, "invalid_value", "Invalid value, expected type STRING"),
        (#"{"value":[null],"type":"STRING_LIST"}"#, "invalid_value", "Invalid value, expected type STRING"),
        (#"{"value":"a b","type":"BYTES"}"#, "invalid_value", "Invalid value, expected type BYTES"),
        (#"{"value":"A","type":"BYTES"}"#, "invalid_value", "Invalid value, expected type BYTES"),
        (#"{"value":"x","type":"DOUBLE"}"#, "invalid_value", "Invalid value, expected type DOUBLE"),
        (#"{"value":"NaN","type":"DOUBLE"}"#, "invalid_value", "Invalid value, expected type DOUBLE"),
        (#"{"value":"x","type":"REFERENCE"}"#, "invalid_value", "Invalid value, expected type REFERENCE"),
        (#"{"value":{"latitude":1},"type":"LOCATION"}"#, "invalid_value", "Invalid value, expected type LOCATION"),
        (#"{"value":{"latitude":1,"longitude":2,"timestamp":1.5}}"#, "wrong_kind", "The key 'timestamp'"),
        (#"{"value":{"latitude":91,"longitude":2}}"#, "location_out_of_range", "A latitude"),
        (#"{"value":{"recordName":""}}"#, "record_name_empty", "A record name"),
        (#"{"value":{"recordName":"a","action":"EXPLODE"}}"#, "unknown_action", "The action must be"),
        (#"{"value":1e400,"type":"DOUBLE"}"#, "number_out_of_range", "A number is outside the range of DOUBLE"),
        (#"{"value":-1e400}"#, "number_out_of_range", "A number is outside the range of DOUBLE"),
        (#"{"value":1e-400}"#, "number_out_of_range", "A number is outside the range of DOUBLE"),
        (#"{"value":[1,"a"]}"#, "mixed_list", "The elements of a list must be of one type"),
        (#"{"value":[[1]]}"#, "unexpected_input", "BadRequestException: Unexpected input"),
        (#"{"value":[{"value":"a","type":"STRING"}]}"#, "unexpected_input", "BadRequestException: Unexpected input"),
        (#"{"value":{"x":1}}"#, "unexpected_input", "BadRequestException: Unexpected input"),
        (#""bare""#, "unexpected_input", "BadRequestException: Unexpected input"),
        (#"{"value":"a","type":"string"}"#, "unknown_type", "Unknown field type 'string'"),
        (#"{"value":"a","type":"LIST"}"#, "invalid_value", "Invalid value, expected type LIST"),
        (#"{"value":"a\u0000b"}"#, "nul_in_string", "A string must not contain NUL (field 'f')"),
        (#"{"value":"\ud800"}"#, "lone_surrogate", "A string must not contain a lone surrogate (field 'f')"),
        (#"{"value":"\udc00\ud800"}"#, "lone_surrogate", "A string must not contain a lone surrogate"),
        (#"{"value":"\ud800\u0041"}"#, "lone_surrogate", "A string must not contain a lone surrogate"),
        (#"{"value":["ok","\u0000"],"type":"STRING_LIST"}"#, "nul_in_string", "A string must not contain NUL"),
    ])
    func aBadValueFailsItsOperationAndNamesItsField(dictionary: String, code: String, reason: String) throws {
        let error = try #require(try operation(fields: #"{"ok":{"value":1},"f":\#(dictionary)}"#).error)
        #expect(error.code == .badRequest)
        #expect(error.reasonCode == code)
        #expect(error.reason.hasPrefix(reason), "\(error.reason)")
        #expect(error.recordName == "n")
        #expect(error.field == "f")
    }

    @Test(arguments: [
        (#"{"a":{"value":1},"a":{"value":2}}"#, "field_repeated"),
        (#"{"recordID":{"value":1}}"#, "field_name_reserved"),
        (#"{"_a":{"value":1}}"#, "field_name_reserved"), (#"{"a b":{"value":1}}"#, "field_name_invalid"),
        (#"{"":{"value":1}}"#, "field_name_empty"), (#"{"\u0061":{"value":1},"a":{"value":2}}"#, "field_repeated"),
        ("[]", "wrong_kind"),
    ])
    func badFieldNamesFailTheOperation(fields: String, code: String) throws {
        #expect(try operation(fields: fields).error?.reasonCode == code)
    }

    @Test func repeatedNamesAreFoundAmongManyFields() throws {
        let names = (0..<40).map { "f\($0)" }
        func fields(_ names: [String]) -> String {
            "{" + names.map { #""\#($0)":{"value":1}"# }.joined(separator: ",") + "}"
        }
        #expect(try operation(fields: fields(names)).record.fields.map(\.name) == names)
        for repeated in ["f0", "f15", "f16", "f39"] {
            #expect(try operation(fields: fields(names + [repeated])).error?.reasonCode == "field_repeated")
        }
    }
}
