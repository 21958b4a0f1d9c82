import CloudKitModel
import HTTPTypes
import RequestServing
import ServiceRuntime
import Synchronization
import Testing

@testable import Gateway
@testable import GatewayStorage

@Suite struct SignInRouteTests {
    @Test func thePageTellsWhoAsksAndWhoIsTold() async throws {
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

    @Test func overHttpsTheCookieIsTheHostsOwn() async throws {
        let stage = SignInStage()
        let page = try await stage.route("https://zonda.example.org").answer(
            to: SignInStage.request(.get, query: "t=\(try stage.linkText())"))
        let cookie = try #require(page.headers[.setCookie])
        #expect(cookie.hasPrefix("__Host-zonda-signin="))
        #expect(cookie.hasSuffix("; Path=/; Secure; HttpOnly; SameSite=Lax"))
    }

    @Test func theNextStyleHasAnotherNonce() async throws {
        let stage = SignInStage()
        let route = try stage.route()
        let request = SignInStage.request(.get, query: "t=\(try stage.linkText())")
        let policies = try await [route.answer(to: request), route.answer(to: request)].map {
            $0.headers[.contentSecurityPolicy]
        }
        #expect(policies[0] != policies[1])
    }

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
        // Browsers hold `form-action` against where a form's answer redirects to.
        #expect(page.headers[.contentSecurityPolicy]?.hasSuffix("form-action 'self' \(source)") == true)
        let answer = try await stage.submit(SignInStage.rightFields.merging(["keep": "1"]) { $1 })
        #expect(answer.status == 303)
        let token = "w%2B%2F" + String(repeating: "B", count: 100) + "%3D_"
        #expect(answer.headers[.location] == "\(beginning)ckWebAuthToken=\(token)&ckSession=\(token)")
        #expect(!answer.html.contains(SignInStage.webAuthToken))
        #expect(stage.state.withLock { $0.sessions.map(\.staysSignedIn) } == [true])
    }

    @Test(arguments: [[], ["*"], ["javascript:alert(1)"], ["null"]])
    func aTokenWithoutAListedPlaceSignsNobodyIn(origins: [String]) async throws {
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
    func aCallbackThatABrowserShouldNotFollowIsNone(callback: String) async throws {
        let stage = SignInStage(origins: [], callbackURL: callback)
        let page = try await stage.route().answer(
            to: SignInStage.request(.get, query: "t=\(try stage.linkText())"))
        #expect(page.status == 403)
    }

    @Test func whoCancelsIsSaidToHave() async throws {
        let window = try await SignInStage().submit(["action": "cancel"])
        #expect(window.html.contains(#"{"errorMessage":"The user has cancelled signing in"}"#))
        let callback = try await SignInStage(callbackURL: "https://app.example.org/").submit(["action": "cancel"])
        #expect(
            callback.headers[.location]
                == "https://app.example.org/?errorMessage=The%20user%20has%20cancelled%20signing%20in")
    }

    @Test(arguments: [
        ("nobody@example.org", "correct horse"), ("ada@example.org", "a wrong guess"), ("ada@example.org", ""),
        ("", "correct horse"), ("ada@example.org\u{0}", "correct horse"),
        ("ada@example.org", "correct horse" + String(repeating: " ", count: 2000)),
    ])
    func aStrangerDoesNotLearnWhatIsWrong(email: String, password: String) async throws {
        let stage = SignInStage()
        let answer = try await stage.submit(["email": email, "password": password])
        #expect(answer.status == 422)
        #expect(answer.html.contains("The e-mail address or the password is incorrect."))
        #expect(!answer.html.contains(password.isEmpty ? "\u{1}" : password))
        #expect(stage.state.withLock { $0.sessions.isEmpty })
        // And the form can be sent again.
        #expect(answer.hidden["proof"] != nil)
    }

    @Test func anAccountWithoutAPasswordSignsNobodyIn() async throws {
        let stage = SignInStage()
        stage.state.withLock { $0.accounts["ada@example.org"]?.1 = nil }
        #expect(try await stage.submit(SignInStage.rightFields).status == 422)
        #expect(try await stage.submit(["email": "ada@example.org", "password": ""]).status == 422)
    }

    @Test func aSpaceAroundTheAddressIsNoMatter() async throws {
        let answer = try await SignInStage().submit(["email": " Ada@example.org\t", "password": "correct horse"])
        #expect(answer.status == 200)
    }

    @Test func aFormOfAnotherPageIsRefused() async throws {
        let stage = SignInStage()
        let route = try stage.route()
        let link = try stage.linkText()
        let page = try await route.answer(to: SignInStage.request(.get, query: "t=\(link)"))
        let other = try await route.answer(to: SignInStage.request(.get, query: "t=\(link)"))
        let out = try await route.answer(to: SignInStage.request(.get, "/signin/out"))
        let fields = SignInStage.rightFields.merging(page.hidden) { $1 }
        #expect(other.cookie != page.cookie)
        var proof = page.hidden["proof"] ?? ""
        proof.replaceSubrange(proof.startIndex...proof.startIndex, with: proof.hasPrefix("A") ? "B" : "A")
        for (cookie, changes) in [
            (nil, [:]), (other.cookie, [:]), ("zonda-signin=", [:]), ("zonda-signin=AAAA", [:]),
            (page.cookie, ["proof": ""]), (page.cookie, ["proof": proof]),
            (out.cookie, ["proof": out.hidden["proof"] ?? ""]), (page.cookie, ["t": "x"]),
        ] as [(String?, [String: String])] {
            let answer = try await route.answer(
                to: SignInStage.request(.post, cookie: cookie, form: fields.merging(changes) { $1 }))
            #expect(answer.status == 403, "\(String(describing: cookie)) \(changes)")
            #expect(answer.html.contains("This form cannot be trusted"))
        }
        #expect(stage.state.withLock { $0.sessions.isEmpty })
        let good = try await route.answer(
            to: SignInStage.request(.post, cookie: "a=b; \(page.cookie ?? ""); c=d", form: fields))
        #expect(good.status == 200)
    }

    @Test func aFormBelongsToItsLink() async throws {
        let stage = SignInStage()
        let other = String(repeating: "b2", count: 32)
        stage.state.withLock { state in
            var token = state.tokens[SignInStage.token]
            token?.token = other
            token?.origins = ["https://evil.example"]
            state.tokens[other] = token
        }
        let answer = try await stage.submit(
            SignInStage.rightFields.merging(["t": try stage.link().seal(other)]) { $1 })
        #expect(answer.status == 403)
    }

    @Test func twoWindowsWorkSideBySide() async throws {
        let stage = SignInStage()
        let route = try stage.route()
        let query = "t=\(try stage.linkText())"
        let first = try await route.answer(to: SignInStage.request(.get, query: query))
        let second = try await route.answer(to: SignInStage.request(.get, query: query, cookie: first.cookie))
        #expect(second.cookie == first.cookie)
        let fields = SignInStage.rightFields.merging(first.hidden) { $1 }
        #expect(
            try await route.answer(to: SignInStage.request(.post, cookie: second.cookie, form: fields)).status == 200)
    }

    @Test func aLinkIsGoodForHalfAnHour() async throws {
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

    @Test func aRevokedTokensLinkIsDead() async throws {
        let stage = SignInStage()
        stage.state.withLock { $0.tokens = [:] }
        let page = try await stage.route().answer(
            to: SignInStage.request(.get, query: "t=\(try stage.linkText())"))
        #expect(page.status == 410)
    }

    @Test(arguments: ["", "t=", "t=x", "t=%00", "x=y"])
    func aLinkThatIsNoneIsRefused(query: String) async throws {
        let stage = SignInStage()
        #expect(try await stage.route().answer(to: SignInStage.request(.get, query: query)).status == 400)
    }

    @Test func theAddressIsUnderThePublicOne() async throws {
        let stage = SignInStage()
        let token = try #require(try await stage.apiToken(SignInStage.token))
        let url = try stage.link("https://zonda.example.org/ck").url(for: token)
        #expect(url == "https://zonda.example.org/ck/signin?t=\(try stage.linkText())")
        #expect(url.utf8.count < 200)
    }

    /// Two wrong passwords for an e-mail address from a network, three from an address, and twelve for the e-mail
    /// address.
    private static let strict: SignInConfiguration = {
        var configuration = SignInConfiguration()
        configuration.emailRate = TokenBucket.Rate(perMinute: 6, burst: 2)
        configuration.addressRate = TokenBucket.Rate(perMinute: 60, burst: 3)
        configuration.accountRate = TokenBucket.Rate(perMinute: 6, burst: 12)
        return configuration
    }()

    @Test func tooManyWrongPasswordsHaveToWait() async throws {
        let stage = SignInStage()
        let route = try stage.route("http://127.0.0.1:8080", Self.strict)
        // Right ones do not count.
        for _ in 0..<5 { #expect(try await stage.submit(SignInStage.rightFields, to: route).status == 200) }
        let wrong = ["email": "ada@example.org", "password": "wrong"]
        for _ in 0..<2 { #expect(try await stage.submit(wrong, to: route).status == 422) }
        // The address: also from nearby, in capitals, and with the right password.
        let ofEmail = try await stage.submit(
            ["email": "ADA@example.org", "password": "correct horse"], to: route, address: "192.0.2.2")
        #expect(ofEmail.status == 429)
        #expect(ofEmail.headers[.retryAfter] == "10")
        #expect(ofEmail.html.contains("Try again in 10 seconds"))
        // The network: whoever is meant.
        #expect(try await stage.submit(["email": "b@example.org"], to: route).status == 422)
        let ofAddress = try await stage.submit(["email": "c@example.org"], to: route)
        #expect(ofAddress.status == 429)
        #expect(ofAddress.headers[.retryAfter] == "1")
        #expect(try await stage.submit(["email": "c@example.org"], to: route, address: "192.0.2.3").status == 422)
        stage.instant.withLock { $0 += .seconds(10) }
        #expect(try await stage.submit(SignInStage.rightFields, to: route).status == 200)
    }

    @Test func aStrangersWrongPasswordsKeepNobodyOut() async throws {
        let stage = SignInStage()
        let route = try stage.route("http://127.0.0.1:8080", Self.strict)
        let first = try await stage.submit(SignInStage.rightFields, to: route)
        let device = try #require(first.cookie)
        #expect(device.hasPrefix("zonda-device="))
        let wrong = ["email": "ada@example.org", "password": "wrong"]
        // One network: others go on, whether their browser is known or not.
        while try await stage.submit(wrong, to: route).status != 429 {}
        #expect(try await stage.submit(SignInStage.rightFields, to: route, address: "198.51.100.1").status == 200)
        // Many networks: known browsers go on, also behind the same address.
        for network in 0..<12 { _ = try await stage.submit(wrong, to: route, address: "203.0.\(network).1") }
        #expect(try await stage.submit(SignInStage.rightFields, to: route, address: "198.51.100.1").status == 429)
        #expect(try await stage.submit(SignInStage.rightFields, to: route, device: device).status == 200)
        // What such a browser gets wrong is counted too, and a cookie of another account or none of ours is none.
        for _ in 0..<2 { #expect(try await stage.submit(wrong, to: route, device: device).status == 422) }
        #expect(try await stage.submit(SignInStage.rightFields, to: route, device: device).status == 429)
        let forged = String(device.dropLast(4)) + "AAAA"
        #expect(try await stage.submit(wrong, to: route, device: forged).status == 429)
    }

    @Test func aCallbackGetsBackTheStateThatCameWithTheLink() async throws {
        let stage = SignInStage(callbackURL: "https://app.example.org/in")
        let answer = try await stage.submit(SignInStage.rightFields, query: "&state=a%26b%22")
        #expect(answer.status == 303)
        #expect(
            answer.headers[.location]?.hasPrefix("https://app.example.org/in?state=a%26b%22&ckWebAuthToken=") == true)
        let cancelled = try await stage.submit(["action": "cancel"], query: "&state=xyz")
        #expect(cancelled.headers[.location]?.contains("?state=xyz&errorMessage=") == true)
        // The form is bound to it.
        let swapped = try await stage.submit(
            SignInStage.rightFields.merging(["state": "other"]) { $1 }, query: "&state=xyz")
        #expect(swapped.status == 403)
        let long = try await stage.route().answer(
            to: SignInStage.request(
                .get, query: "t=\(try stage.linkText())&state=\(String(repeating: "a", count: 1025))"))
        #expect(long.status == 400)
    }

    @Test func whoSignsOutEverywhereEndsAll() async throws {
        let stage = SignInStage()
        for _ in 0..<2 { _ = try await stage.submit(SignInStage.rightFields) }
        let route = try stage.route()
        let page = try await route.answer(to: SignInStage.request(.get, "/signin/out"))
        #expect(page.status == 200)
        var form = page.hidden.merging(SignInStage.rightFields) { $1 }
        form["password"] = "wrong"
        let refused = try await route.answer(
            to: SignInStage.request(.post, "/signin/out", cookie: page.cookie, form: form))
        #expect(refused.status == 422)
        form["password"] = "correct horse"
        let forged = try await route.answer(to: SignInStage.request(.post, "/signin/out", form: form))
        #expect(forged.status == 403)
        #expect(stage.state.withLock { $0.sessions.count } == 2)
        let done = try await route.answer(
            to: SignInStage.request(.post, "/signin/out", cookie: page.cookie, form: form))
        #expect(done.status == 200)
        #expect(done.html.contains("2 sign-ins have ended."))
        #expect(stage.state.withLock { $0.sessions.isEmpty })
    }

    @Test func otherPathsAndBodiesAreAnswered() async throws {
        let route = try SignInStage().route()
        #expect(try await route.answer(to: SignInStage.request(.get, "/signin/in")).status == 404)
        var json = SignInStage.request(.post, form: [:])
        json.headers[.contentType] = "application/json"
        #expect(try await route.answer(to: json).status == 400)
        let large = SignInStage.request(.post, form: ["x": String(repeating: "y", count: 20_000)])
        #expect(try await route.answer(to: large).status == 400)
    }
}
