import CloudKitModel
import CloudKitWire
import Testing

struct MalformedBodyTests {
    private static func body(value: String) -> String {
        #"{"operations":[{"operationType":"delete","record":{"recordName":"ok"}},{"record":{"fields":{"f":{"value":\#(value)}}}}]}"#
    }

    @Test(arguments: [
        ("{", "unexpected end"), ("[]", "unexpected character"), ("null", "unexpected character"),
        (#"{"operations":[]} x"#, "unexpected text after the end"),
        (#"{"operations":[]}{}"#, "unexpected text after the end"),
        (#"{"a":1,}"#, "unexpected character"), (#"{"a"}"#, "unexpected character"),
        (#"{a:1}"#, "unexpected character"),
        (#"{"a":[1,]}"#, "unexpected character"), (#"{"a":[1 2]}"#, "unexpected character"),
        (#"{"a":[,1]}"#, "unexpected character"), (#"{"a":tru}"#, "unexpected character"),
        (#"{"a":t"#, "unexpected end"),
        (#"{"a":01}"#, "unexpected character"), (#"{"a":1.}"#, "unexpected character"),
        (#"{"a":.5}"#, "unexpected character"),
        (#"{"a":+1}"#, "unexpected character"), (#"{"a":-}"#, "unexpected character"),
        (#"{"a":1e}"#, "unexpected character"),
        (#"{"a":1e+}"#, "unexpected character"), (#"{"a":0x10}"#, "unexpected character"),
        (#"{"a":-"#, "unexpected end"),
        (#"{"a":NaN}"#, "unexpected character"), (#"{"a":Infinity}"#, "unexpected character"),
        (#"{"a":-Infinity}"#, "unexpected character"), (#"{'a':1}"#, "unexpected character"),
        (#"{"a":"\x"}"#, "invalid escape"), (#"{"a":"\u12G4"}"#, "invalid escape"),
        (#"{"a":"\u12"}"#, "invalid escape"),
        (#"{"a":"\"#, "unexpected end"), (#"{"a":"abc"#, "unexpected end"), ("{\"a\":\"\n\"}", "control character"),
        ("{\"a\":\"aaaaaaaaaaaa\u{1}\"}", "control character"), ("{\u{B}}", "unexpected character"),
        (#"{"a":// comment"# + "\n1}", "unexpected character"),
    ])
    func textThatIsNotJSONIsRefused(text: String, syntax: String) {
        let error = serverError { () throws(ServerError) in try ModifyRecordsRequest(decoding: Array(text.utf8)) }
        #expect(error?.reasonCode == "invalid_json")
        #expect(error?.reason.contains(syntax) == true, "\(error?.reason ?? "accepted")")
        #expect(error?.actual.map { (0...text.utf8.count).contains($0) } == true)
    }

    @Test func theOffsetIsThatOfTheBadByte() {
        let error = serverError { () throws(ServerError) in try JSONValue(parsing: #"{"a": 1, "b": ?}"#) }
        #expect(error?.actual == 14)
        #expect(error?.field == "b")
        #expect(error?.reason == "The body is not valid JSON: unexpected character at byte 14 in field 'b'")
    }

    @Test(arguments: ["nope", "[1,", "\"\u{1}\"", "1.e5", "{\"a\"}", "NaN"])
    func aFaultOfTheTextInAFieldNamesTheFieldAndFailsTheBody(value: String) {
        let error = serverError { () throws(ServerError) in
            try ModifyRecordsRequest(decoding: Array(Self.body(value: value).utf8))
        }
        #expect(error?.reasonCode == "invalid_json")
        #expect(error?.field == "f")
    }

    @Test(
        arguments: [
            [0x80], [0xC0, 0x80], [0xC1, 0xBF], [0xC3], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80], [0xE2, 0x82],
            [0xF0, 0x80, 0x80, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFF], [0xE2, 0x28, 0xA1],
        ] as [[UInt8]])
    func bytesThatAreNotUTF8AreRefusedAtEveryOffset(bytes: [UInt8]) {
        for padding in 0..<9 {
            let prefix = Array(#"{"a":""#.utf8) + Array(repeating: 0x61, count: padding)
            let error = serverError { () throws(ServerError) in
                try JSONValue(parsing: prefix + bytes + Array(#"aaaaaaaaa"}"#.utf8))
            }
            #expect(error?.reason.contains("invalid UTF-8") == true)
            #expect(error?.actual == prefix.count)
        }
    }

    @Test(arguments: [
        "\u{7F}", "\u{80}", "\u{7FF}", "\u{800}", "\u{D7FF}", "\u{E000}", "\u{FFFF}", "\u{10000}", "\u{10FFFF}",
    ])
    func everyLengthOfUTF8IsAccepted(text: String) throws {
        for padding in 0..<9 {
            let padded = String(repeating: "a", count: padding) + text + "aaaaaaaaa"
            #expect(try JSONValue(parsing: #"{"a":"\#(padded)"}"#)["a"]?.string == padded)
        }
    }

    @Test func sixtyFourLevelsAreAcceptedAndNoMore() {
        func nested(_ depth: Int) -> String {
            #"{"a":"# + String(repeating: "[", count: depth - 1) + String(repeating: "]", count: depth - 1) + "}"
        }
        #expect(serverError { () throws(ServerError) in try JSONValue(parsing: nested(64)) } == nil)
        let error = serverError { () throws(ServerError) in try JSONValue(parsing: nested(65)) }
        #expect(error?.reason.contains("64 levels") == true)
        let bomb = #"{"operations":"# + String(repeating: "[", count: 1_000_000)
        #expect(
            serverError { () throws(ServerError) in try ModifyRecordsRequest(decoding: Array(bomb.utf8)) }?.reasonCode
                == "invalid_json")
    }

    @Test func aRefusedBodyLeavesNoTraceOfItsValues() {
        let error = serverError { () throws(ServerError) in
            try ModifyRecordsRequest(decoding: Array(Self.body(value: #""secret" x"#).utf8))
        }
        #expect(error?.reason.contains("secret") == false)
    }
}
