import CloudKitModel
import GatewayTestSupport
import HTTPTypes
import Testing

@testable import Gateway

@Suite struct CredentialsTests {
    @Test(
        arguments: [
            ("", Credentials.none), ("ckAPIToken=&ckWebAuthToken=", .none), ("ckAPIToken=null", .none),
            ("ckAPIToken=a", .tokens(api: "a", webAuth: nil)),
            ("ckAPIToken=a&ckWebAuthToken=null", .tokens(api: "a", webAuth: nil)),
            ("ckAPIToken=a&ckWebAuthToken=", .tokens(api: "a", webAuth: nil)),
            ("ckAPIToken=a&ckWebAuthToken=w", .tokens(api: "a", webAuth: "w")),
            ("ckAPIToken=a&ckSession=w", .tokens(api: "a", webAuth: "w")),
            ("ckAPIToken=a&ckSession=s&ckWebAuthToken=w", .tokens(api: "a", webAuth: "w")),
            ("ckAPIToken=a&ckSession=s&ckWebAuthToken=null", .tokens(api: "a", webAuth: "s")),
            ("ckAPIToken=a&ckWebAuthToken=w%2Bx%2Fy%3D", .tokens(api: "a", webAuth: "w+x/y=")),
            ("ckAPIToken=a&ckWebAuthToken=w+x/y=", .tokens(api: "a", webAuth: "w+x/y=")),
            ("ckAPIToken=a&ckWebAuthToken=w%20x", .tokens(api: "a", webAuth: "w+x")),
            ("ckAPIToken=a&ckWebAuthToken=w%252Bx%252Fy%253D", .tokens(api: "a", webAuth: "w+x/y=")),
        ])
    func tokensAreReadWithAnyEscaping(query: String, expected: Credentials) throws {
        #expect(try Credentials(.sent("/x?\(query)")) == expected)
    }

    @Test func aPartialSignatureIsRead() throws {
        let whole = HTTPFields.signature(keyID: "k", date: "d", signature: "s")
        guard case .signature(let headers) = try Credentials(.sent("/x?ckWebAuthToken=null", headers: whole)) else {
            Issue.record("no signature")
            return
        }
        #expect((headers.keyID, headers.date, headers.signature) == ("k", "d", "s"))
        let part = HTTPFields.signature(keyID: "k", date: nil, signature: nil)
        guard case .signature(let rest) = try Credentials(.sent("/x", headers: part)) else {
            Issue.record("no signature")
            return
        }
        #expect(rest.date == nil)
    }

    @Test(arguments: ["ckAPIToken=a", "ckWebAuthToken=w", "ckSession=w"])
    func tokensAndASignatureCannotBeCombined(query: String) {
        let error = #expect(throws: ServerError.self) {
            try Credentials(
                .sent("/x?\(query)", headers: .signature(keyID: "k", date: "d", signature: "s")))
        }
        #expect(error?.reasonCode == "credentials_combined")
        #expect(error?.code == .badRequest)
    }

    @Test func aWebAuthTokenRequiresItsAPIToken() {
        let error = #expect(throws: ServerError.self) { try Credentials(.sent("/x?ckWebAuthToken=w")) }
        #expect(error?.reasonCode == "credentials_missing")
    }
}
