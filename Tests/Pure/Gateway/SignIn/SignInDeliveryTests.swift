import CloudKitModel
import HTTPTypes
import ServiceRuntime
import Synchronization
import Testing

@testable import Gateway
@testable import GatewayStorage

/// The delivery of the web auth token to the application.
@Suite struct SignInDeliveryTests {
    @Test func theTokenIsPostedToTheListedOrigins() async throws {
        let stage = SignInStage(origins: ["https://app.example.org", "http://127.0.0.1:3000"])
        let answer = try await stage.submit(SignInStage.rightFields)
        #expect(answer.status == 200)
        let token = SignInStage.webAuthToken
        #expect(answer.html.contains(#"{"ckWebAuthToken":"\#(token)","ckSession":"\#(token)"}"#))
        #expect(answer.html.contains(#"["https://app.example.org","http://127.0.0.1:3000"]"#))
        #expect(!answer.html.contains(#""*""#))
        let policy = try #require(answer.headers[.contentSecurityPolicy])
        let nonce = try #require(policy.firstMatch(of: /script-src 'nonce-([^']+)'/)?.1)
        #expect(answer.html.contains(#"<script nonce="\#(nonce)">"#))
        #expect(
            stage.state.withLock { $0.sessions } == [
                SignInStage.Session(
                    account: 7, container: SignInStage.container, environment: .development, staysSignedIn: false)
            ])
        #expect(stage.metrics.rendered().contains(#"zonda_gateway_sign_ins_total{outcome="signed_in"} 1"#))
    }

    @Test(arguments: [
        ("https://app.example.org/done", "https://app.example.org/done?", "https://app.example.org"),
        ("https://app.example.org/done?a=b", "https://app.example.org/done?a=b&", "https://app.example.org"),
        ("http://127.0.0.1:3000/?", "http://127.0.0.1:3000/?", "http://127.0.0.1:3000"),
        (
            "cloudkit-icloud.org.example.notes://x", "cloudkit-icloud.org.example.notes://x?",
            "cloudkit-icloud.org.example.notes:"
        ),
    ])
    func theTokenGoesToTheCallback(callback: String, beginning: String, source: String) async throws {
        let stage = SignInStage(callbackURL: callback)
        let page = try await stage.route().answer(
            to: SignInStage.request(.get, query: "t=\(try stage.linkText())"))
        // Browsers apply `form-action` to the redirection after a form too.
        #expect(page.headers[.contentSecurityPolicy]?.hasSuffix("form-action 'self' \(source)") == true)
        let answer = try await stage.submit(SignInStage.rightFields.merging(["keep": "1"]) { $1 })
        #expect(answer.status == 303)
        let token = "w%2B%2F" + String(repeating: "B", count: 100) + "%3D_"
        #expect(answer.headers[.location] == "\(beginning)ckWebAuthToken=\(token)&ckSession=\(token)")
        #expect(!answer.html.contains(SignInStage.webAuthToken))
        #expect(stage.state.withLock { $0.sessions.map(\.staysSignedIn) } == [true])
    }

    @Test(arguments: [[], ["*"], ["javascript:alert(1)"], ["null"]])
    func aTokenWithoutARecipientCannotBeUsedToSignIn(origins: [String]) async throws {
        let stage = SignInStage(origins: origins)
        let page = try await stage.route().answer(
            to: SignInStage.request(.get, query: "t=\(try stage.linkText())"))
        #expect(page.status == 403)
        #expect(page.html.contains("zonda token create NAME --container \(SignInStage.container)"))
        #expect(page.hidden.isEmpty)
        #expect(page.headers[.setCookie] == nil)
    }

    @Test(arguments: [
        "javascript:alert(1)", "data:text/html,x", "https://a@example.org/", "https:///x", "//example.org",
        "https://example.org/\r\nSet-Cookie: a=b", "https://example.org/#x", "https://exa mple.org", "https://ä.org",
        "https://example.org'; script-src *", "x",
    ])
    func aCallbackThatABrowserMustNotFollowIsIgnored(callback: String) async throws {
        let stage = SignInStage(origins: [], callbackURL: callback)
        let page = try await stage.route().answer(
            to: SignInStage.request(.get, query: "t=\(try stage.linkText())"))
        #expect(page.status == 403)
    }

    @Test func theApplicationIsInformedOfACancellation() async throws {
        let window = try await SignInStage().submit(["action": "cancel"])
        #expect(window.html.contains(#"{"errorMessage":"The user has cancelled signing in"}"#))
        let callback = try await SignInStage(callbackURL: "https://app.example.org/").submit(["action": "cancel"])
        #expect(
            callback.headers[.location]
                == "https://app.example.org/?errorMessage=The%20user%20has%20cancelled%20signing%20in")
    }

    @Test func aCallbackReceivesTheStateOfTheLink() async throws {
        let stage = SignInStage(callbackURL: "https://app.example.org/in")
        let answer = try await stage.submit(SignInStage.rightFields, query: "&state=a%26b%22")
        #expect(answer.status == 303)
        #expect(
            answer.headers[.location]?.hasPrefix("https://app.example.org/in?state=a%26b%22&ckWebAuthToken=") == true)
        let cancelled = try await stage.submit(["action": "cancel"], query: "&state=xyz")
        #expect(cancelled.headers[.location]?.contains("?state=xyz&errorMessage=") == true)
        // The form is bound to the API token.
        let swapped = try await stage.submit(
            SignInStage.rightFields.merging(["state": "other"]) { $1 }, query: "&state=xyz")
        #expect(swapped.status == 403)
        let long = try await stage.route().answer(
            to: SignInStage.request(
                .get, query: "t=\(try stage.linkText())&state=\(String(repeating: "a", count: 1025))"))
        #expect(long.status == 400)
    }
}
