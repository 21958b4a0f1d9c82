import CloudKitModel
import CloudKitWire
import Testing

/// A value is received as a field value dictionary, stored as bare JSON, and returned as a field value dictionary.
struct FieldRoundTripTests {
    @Test(arguments: [
        ("STRING", #""""#), ("STRING", #""Milk""#), ("STRING", #""a\"b\\c\nd\te\rf""#), ("STRING", #""Größe 🦊""#),
        ("INT64", "0"), ("INT64", "-1"), ("INT64", "9223372036854775807"), ("INT64", "-9223372036854775808"),
        ("INT64", "9007199254740993"), ("DOUBLE", "0.1"), ("DOUBLE", "5e-324"), ("DOUBLE", "1e+308"),
        ("DOUBLE", "1.7976931348623157e+308"), ("DOUBLE", "-0.0"), ("DOUBLE", "3.0"), ("DOUBLE", "0.30000000000000004"),
        ("TIMESTAMP", "1768500000000"), ("TIMESTAMP", "-62135596800000"), ("BYTES", #""""#), ("BYTES", #""AA==""#),
        ("BYTES", #""AAE=""#), ("BYTES", #""AAEC""#), ("BYTES", #""+/+/""#),
        ("REFERENCE", #"{"recordName":"n-1","action":"NONE"}"#),
        (
            "REFERENCE",
            #"{"recordName":"n/1","action":"DELETE_SELF","zoneID":{"zoneName":"Drafts","ownerRecordName":"_7f"}}"#
        ),
        ("REFERENCE", #"{"recordName":"_7f0c","action":"VALIDATE"}"#),
        ("ASSETID", #"{"fileChecksum":"AbCd","size":12345678901,"referenceChecksum":"r","wrappingKey":"w"}"#),
        ("LOCATION", #"{"latitude":37.33,"longitude":-122.03}"#),
        (
            "LOCATION",
            #"{"latitude":-90.0,"longitude":180.0,"horizontalAccuracy":-1.0,"verticalAccuracy":-1.0,"altitude":0.5,"speed":-1.0,"course":-1.0,"timestamp":-5}"#
        ),
        ("STRING_LIST", "[]"), ("STRING_LIST", #"["a","","ü"]"#), ("INT64_LIST", "[1,-2,9223372036854775807]"),
        ("DOUBLE_LIST", "[1.5,2.0]"), ("TIMESTAMP_LIST", "[0,1]"), ("BYTES_LIST", #"["AA==",""]"#),
        ("REFERENCE_LIST", #"[{"recordName":"a","action":"NONE"}]"#), ("LOCATION_LIST", "[]"),
        ("ASSETID_LIST", #"[{"fileChecksum":"x","size":1}]"#),
    ])
    func everyTypeComesBackAsItWent(type: String, json: String) throws {
        for encrypted in ["", #","isEncrypted":true"#] {
            for dictionary in [
                #"{"value":\#(json),"type":"\#(type)"\#(encrypted)}"#,
                #"{"type":"\#(type)"\#(encrypted),"value":\#(json)}"#,
            ] {
                let field = try field(dictionary)
                let declared = try #require(field.declaredType)
                let value = try #require(field.value)
                #expect(declared.wireName == type)

                var fields = StoredFields()
                fields.set("f", value)
                #expect(String(decoding: fields.encoded(), as: UTF8.self) == #"{"f":\#(json)}"#)

                let stored = try StoredFields(parsing: fields.encoded())
                #expect(try stored.value("f", as: declared) == value)
                let reply = written { writer in
                    writer.record(Self.envelope, fields: stored, types: { _ in declared })
                }
                #expect(reply.contains(#""f":{"value":\#(json),"type":"\#(type)"\#(encrypted)}"#))
                let read = try WireReply(decoding: Array(#"{"records":[\#(reply)]}"#.utf8))
                #expect(read.records?[0].value("f") == value)
            }
        }
    }

    static let envelope = RecordEnvelope(
        recordName: "n", recordType: "Note", recordChangeTag: "t",
        created: RecordEnvelope.Stamp(timestamp: 1, userRecordName: "_u"),
        modified: RecordEnvelope.Stamp(timestamp: 2, userRecordName: "_u"))

    @Test(arguments: [
        (#""\u0041\u00e4\ud83e\udd8a""#, "Aä🦊"), (#""\/\b\f""#, "/\u{8}\u{C}"), (#""\uFFFF""#, "\u{FFFF}"),
        (#""\ud800\udc00""#, "\u{10000}"), (#""\udbff\udfff""#, "\u{10FFFF}"), (#""\u001f""#, "\u{1F}"),
    ])
    func escapesAreUndone(json: String, text: String) throws {
        #expect(try field(#"{"value":\#(json)}"#).value == .string(text))
    }

    @Test(arguments: [
        ("1.0", 1), ("1e3", 1000), ("1.5e1", 15), ("100e-2", 1), ("true", 1), ("false", 0), (#""-12""#, -12), ("-0", 0),
        ("0.0", 0), ("0e99999", 0),
    ])
    func wholeNumbersAreRecognisedHoweverTheyAreWritten(json: String, number: Int64) throws {
        #expect(try field(#"{"value":\#(json),"type":"INT64"}"#).value == .int64(number))
    }

    @Test(arguments: [
        ("123456789012345678901234567890", 0x1.8ee90ff6c373ep96), ("1e22", 1e22), ("1e23", 1e23),
        ("0.000001", 0.000001), ("2.2250738585072011e-308", Double.leastNormalMagnitude.nextDown), ("1E+2", 100),
        ("9007199254740993", 9_007_199_254_740_992), (#""0.5""#, 0.5), ("1", 1),
        ("0.1000000000000000055511151231257827021181583404541015625", 0.1), ("0e-400", 0),
    ])
    func doublesAreTheNearest(json: String, number: Double) throws {
        #expect(try field(#"{"value":\#(json),"type":"DOUBLE"}"#).value == .double(number))
    }

    @Test func aLongTextWithEscapesAtEveryOffsetComesBack() throws {
        for length in 0..<40 {
            let text = String(repeating: "x", count: length) + "\"\\\u{1}ü" + String(repeating: "y", count: 40 - length)
            var fields = StoredFields()
            fields.set("f", .string(text))
            #expect(try StoredFields(parsing: fields.encoded()).value("f", as: .string) == .string(text))
        }
        let megabyte = String(repeating: "0123456789abcdef", count: 65_536)
        #expect(try field(#"{"value":"\#(megabyte)"}"#).value == .string(megabyte))
    }

    @Test func jsonbsSpelledOutDoublesAreShortenedAgain() throws {
        let spelled = "1" + String(repeating: "0", count: 308)
        let stored = try StoredFields(parsing: Array(#"{"d": \#(spelled), "l": [\#(spelled)]}"#.utf8))
        let reply = written { writer in
            writer.record(
                Self.envelope, fields: stored, types: { $0 == "d" ? .double : .list(.double) })
        }
        #expect(reply.contains(#""d":{"value":1e+308,"type":"DOUBLE"}"#))
        #expect(reply.contains(#""l":{"value":[1e+308],"type":"DOUBLE_LIST"}"#))
    }

    @Test func jsonbsSpelledOutTinyDoublesAreExact() throws {
        let stored = try StoredFields(parsing: Array((#"{"d": 0."# + String(repeating: "0", count: 323) + "5}").utf8))
        #expect(try stored.value("d", as: .double) == .double(.leastNonzeroMagnitude))
        let reply = written { writer in writer.record(Self.envelope, fields: stored, types: { _ in .double }) }
        #expect(reply.contains(#""d":{"value":5e-324,"type":"DOUBLE"}"#))
    }

    @Test func numbersBecomeStringsOnRequest() throws {
        let stored = try StoredFields(
            parsing: Array(#"{"d": 0.5, "i": 9007199254740993, "s": "x", "t": -1, "il": [1, 2], "dl": []}"#.utf8))
        let types: [String: FieldType] = [
            "d": .double, "i": .int64, "s": .string, "t": .timestamp, "il": .list(.int64), "dl": .list(.double),
        ]
        let reply = written { writer in
            writer.record(Self.envelope, fields: stored, types: { types[$0] }, numbersAsStrings: true)
        }
        for expected in [
            #""d":{"value":"0.5","type":"DOUBLE"}"#, #""i":{"value":"9007199254740993","type":"INT64"}"#,
            #""s":{"value":"x","type":"STRING"}"#, #""t":{"value":"-1","type":"TIMESTAMP"}"#,
            #""il":{"value":["1","2"],"type":"INT64_LIST"}"#, #""dl":{"value":[],"type":"DOUBLE_LIST"}"#,
        ] { #expect(reply.contains(expected), "\(reply)") }
        let read = try WireReply(decoding: Array(#"{"records":[\#(reply)]}"#.utf8))
        #expect(read.records?[0].value("i") == .int64(9_007_199_254_740_993))
        #expect(read.records?[0].value("il") == .list(.int64, [.int64(1), .int64(2)]))
    }
}
