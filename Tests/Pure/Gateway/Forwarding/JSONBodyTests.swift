import CloudKitModel
import Testing

@testable import Gateway

@Suite struct JSONBodyTests {
    @Test(arguments: [
        ("", "{}"), (" \r\n\t", "{}"), ("{}", "{}"), (" {\"a\":1}", " {\"a\":1}"), ("\u{FEFF}{}", "{}"),
        ("\u{FEFF}", "{}"),
    ])
    func anObjectIsForwardedUnchanged(body: String, passed: String) throws {
        #expect(try JSONBody.forwarded(Array(body.utf8), isGet: false) == Array(passed.utf8))
    }

    @Test(arguments: ["[]", "1", "null", "\"a\"", "x", "\u{FEFF}[]", "\0{}"])
    func otherBodiesAreRefused(body: String) {
        let error = #expect(throws: ServerError.self) { try JSONBody.forwarded(Array(body.utf8), isGet: false) }
        #expect(error?.reasonCode == "invalid_json")
    }

    @Test func theBodyOfAGETIsIgnored() throws {
        #expect(try JSONBody.forwarded(Array("[1]".utf8), isGet: true) == Array("{}".utf8))
    }
}
