import CloudKitWire
import Testing

@testable import Gateway

@Suite struct SignInRedirectTests {
    @Test(arguments: [
        (#"{"recordName":"a","serverErrorCode":"AUTHENTICATION_REQUIRED"}"#, true),
        (#"{"serverErrorCode":"AUTHENTICATION_REQUIRED"},{"serverErrorCode":"BAD_REQUEST"}"#, true),
        (#"{"serverErrorCode":"AUTHENTICATION_REQUIRED"},{"recordName":"saved"}"#, false),
        (#"{"serverErrorCode":"ACCESS_DENIED"}"#, false),
        (#"{"serverErrorCode":"ACCESS_DENIED","reason":"\"serverErrorCode\":\"AUTHENTICATION_REQUIRED\""}"#, false),
        ("", false),
    ])
    func aWriteThatOnlyLacksAUserIsRefusedCompletely(records: String, isOnlyRemedy: Bool) {
        let answer = GatewayAnswer(json: Array(#"{"records":[\#(records)]}"#.utf8))
        #expect(SignInRedirect.isOnlyRemedy(for: answer) == isOnlyRemedy)
    }

    @Test func eachRefusalNamesTheSignInPage() throws {
        var answer = GatewayAnswer(
            json: Array(
                #"""
                {"records":[{"recordName":"a","serverErrorCode":"AUTHENTICATION_REQUIRED","reason":"r"},
                {"recordName":"b","fields":{"t":{"value":"\"serverErrorCode\":\"AUTHENTICATION_REQUIRED\""}}},
                {"recordName":"c","serverErrorCode":"ACCESS_DENIED"},
                {"recordName":"d","reason":"r","serverErrorCode":"AUTHENTICATION_REQUIRED"}]}
                """#.utf8))
        SignInRedirect.add("https://example.org/signin?t=1", to: &answer)
        let records = try JSONValue(parsing: answer.body)["records"]?.array ?? []
        #expect(records.map { $0["redirectURL"]?.string != nil } == [true, false, false, true])
        #expect(records[0]["redirectURL"] == "https://example.org/signin?t=1")
        #expect(records[1]["fields"]?["t"]?["value"] == #""serverErrorCode":"AUTHENTICATION_REQUIRED""#)
    }
}
