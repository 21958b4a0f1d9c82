import HTTPTypes
import Synchronization
import Testing

@testable import Gateway
@testable import GatewayStorage

/// The sign-in page and the links to it.
@Suite struct SignInPageTests {
    @Test func thePageNamesTheApplicationAndTheRecipient() async throws {
        let stage = SignInStage(name: "<b>Notes & more</b>")
        let page = try await stage.route().answer(
            to: SignInStage.request(.get, query: "t=\(try stage.linkText())"))
        #expect(page.status == 200)
        #expect(page.html.contains("&lt;b&gt;Notes &amp; more&lt;/b&gt;"))
        #expect(!page.html.contains("<b>"))
        #expect(page.html.contains(SignInStage.container))
        #expect(page.html.contains("https://app.example.org"))
        #expect(!page.html.contains("<script"))
        #expect(page.html.contains(#"autocomplete="current-password""#))
        #expect(page.headers[.cacheControl] == "no-store")
        #expect(page.headers[HTTPField.Name("X-Frame-Options")!] == "DENY")
        #expect(page.headers[HTTPField.Name("Referrer-Policy")!] == "no-referrer")
        let policy = try #require(page.headers[.contentSecurityPolicy])
        #expect(policy.contains("default-src 'none'"))
        #expect(policy.contains("frame-ancestors 'none'"))
        #expect(policy.contains("base-uri 'none'"))
        #expect(!policy.contains("script-src"))
        #expect(policy.hasSuffix("form-action 'self'"))
        let cookie = try #require(page.headers[.setCookie])
        #expect(cookie.hasSuffix("; Path=/signin; HttpOnly; SameSite=Lax"))
    }

    @Test func overHTTPSTheCookieBelongsToTheHost() async throws {
        let stage = SignInStage()
        let page = try await stage.route("https://zonda.example.org").answer(
            to: SignInStage.request(.get, query: "t=\(try stage.linkText())"))
        let cookie = try #require(page.headers[.setCookie])
        #expect(cookie.hasPrefix("__Host-zonda-signin="))
        #expect(cookie.hasSuffix("; Path=/; Secure; HttpOnly; SameSite=Lax"))
    }

    @Test func eachPageHasANewNonce() async throws {
        let stage = SignInStage()
        let route = try stage.route()
        let request = SignInStage.request(.get, query: "t=\(try stage.linkText())")
        let policies = try await [route.answer(to: request), route.answer(to: request)].map {
            $0.headers[.contentSecurityPolicy]
        }
        #expect(policies[0] != policies[1])
    }

    @Test func aLinkIsValidForHalfAnHour() async throws {
        let stage = SignInStage()
        let route = try stage.route()
        let request = SignInStage.request(.get, query: "t=\(try stage.linkText())")
        stage.milliseconds.withLock { $0 += 30 * 60 * 1000 - 1 }
        let page = try await route.answer(to: request)
        #expect(page.status == 200)
        stage.milliseconds.withLock { $0 += 1 }
        #expect(try await route.answer(to: request).status == 410)
        let fields = SignInStage.rightFields.merging(page.hidden) { $1 }
        let late = try await route.answer(to: SignInStage.request(.post, cookie: page.cookie, form: fields))
        #expect(late.status == 410)
        #expect(stage.state.withLock { $0.sessions.isEmpty })
    }

    @Test func theLinkOfARevokedTokenHasExpired() async throws {
        let stage = SignInStage()
        stage.state.withLock { $0.tokens = [:] }
        let page = try await stage.route().answer(
            to: SignInStage.request(.get, query: "t=\(try stage.linkText())"))
        #expect(page.status == 410)
    }

    @Test(arguments: ["", "t=", "t=x", "t=%00", "x=y"])
    func anInvalidLinkIsRefused(query: String) async throws {
        let stage = SignInStage()
        #expect(try await stage.route().answer(to: SignInStage.request(.get, query: query)).status == 400)
    }

    @Test func theLinkIsUnderThePublicURL() async throws {
        let stage = SignInStage()
        let token = try #require(try await stage.apiToken(SignInStage.token))
        let url = try stage.link("https://zonda.example.org/ck").url(for: token)
        #expect(url == "https://zonda.example.org/ck/signin?t=\(try stage.linkText())")
        #expect(url.utf8.count < 200)
    }

    @Test func otherPathsAndBodiesAreRefused() async throws {
        let route = try SignInStage().route()
        #expect(try await route.answer(to: SignInStage.request(.get, "/signin/in")).status == 404)
        var json = SignInStage.request(.post, form: [:])
        json.headers[.contentType] = "application/json"
        #expect(try await route.answer(to: json).status == 400)
        let large = SignInStage.request(.post, form: ["x": String(repeating: "y", count: 20_000)])
        #expect(try await route.answer(to: large).status == 400)
    }
}
