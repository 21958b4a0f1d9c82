import HTTPTypes
import RequestServing
import Synchronization
import Testing

@testable import Gateway
@testable import GatewayStorage

/// The forms to sign in and out, including forged forms and wrong passwords.
@Suite struct SignInFormTests {
    @Test(arguments: [
        ("nobody@example.org", "correct horse"), ("ada@example.org", "a wrong guess"), ("ada@example.org", ""),
        ("", "correct horse"), ("ada@example.org\u{0}", "correct horse"),
        ("ada@example.org", "correct horse" + String(repeating: " ", count: 2000)),
    ])
    func aStrangerDoesNotLearnWhatIsWrong(email: String, password: String) async throws {
        let stage = SignInStage()
        let answer = try await stage.submit(["email": email, "password": password])
        #expect(answer.status == 422)
        #expect(answer.html.contains("The email address or the password is incorrect."))
        #expect(!answer.html.contains(password.isEmpty ? "\u{1}" : password))
        #expect(stage.state.withLock { $0.sessions.isEmpty })
        // The form can be sent again.
        #expect(answer.hidden["proof"] != nil)
    }

    @Test func anAccountWithoutAPasswordCannotSignIn() async throws {
        let stage = SignInStage()
        stage.state.withLock { $0.accounts["ada@example.org"]?.1 = nil }
        #expect(try await stage.submit(SignInStage.rightFields).status == 422)
        #expect(try await stage.submit(["email": "ada@example.org", "password": ""]).status == 422)
    }

    @Test func spacesAroundTheEmailAddressAreIgnored() async throws {
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

    @Test func signingOutEverywhereEndsAllSignIns() async throws {
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
        #expect(done.html.contains("2 sessions have ended."))
        #expect(stage.state.withLock { $0.sessions.isEmpty })
    }

    /// Two wrong passwords for an email address from a network, three from an address, and twelve for the email
    /// address.
    private static let strict: SignInConfiguration = {
        var configuration = SignInConfiguration()
        configuration.emailRate = TokenBucket.Rate(perMinute: 6, burst: 2)
        configuration.addressRate = TokenBucket.Rate(perMinute: 60, burst: 3)
        configuration.accountRate = TokenBucket.Rate(perMinute: 6, burst: 12)
        return configuration
    }()

    @Test func tooManyWrongPasswordsAreDelayed() async throws {
        let stage = SignInStage()
        let route = try stage.route("http://127.0.0.1:8080", Self.strict)
        // Correct passwords do not count.
        for _ in 0..<5 { #expect(try await stage.submit(SignInStage.rightFields, to: route).status == 200) }
        let wrong = ["email": "ada@example.org", "password": "wrong"]
        for _ in 0..<2 { #expect(try await stage.submit(wrong, to: route).status == 422) }
        // The limit of the email address applies from the same network, in capitals, and with the correct password.
        let ofEmail = try await stage.submit(
            ["email": "ADA@example.org", "password": "correct horse"], to: route, address: "192.0.2.2")
        #expect(ofEmail.status == 429)
        #expect(ofEmail.headers[.retryAfter] == "10")
        #expect(ofEmail.html.contains("Try again in 10 seconds"))
        // The limit of the address applies to all email addresses.
        #expect(try await stage.submit(["email": "b@example.org"], to: route).status == 422)
        let ofAddress = try await stage.submit(["email": "c@example.org"], to: route)
        #expect(ofAddress.status == 429)
        #expect(ofAddress.headers[.retryAfter] == "1")
        #expect(try await stage.submit(["email": "c@example.org"], to: route, address: "192.0.2.3").status == 422)
        stage.instant.withLock { $0 += .seconds(10) }
        #expect(try await stage.submit(SignInStage.rightFields, to: route).status == 200)
    }

    @Test func aStrangersWrongPasswordsDoNotLockTheUserOut() async throws {
        let stage = SignInStage()
        let route = try stage.route("http://127.0.0.1:8080", Self.strict)
        let first = try await stage.submit(SignInStage.rightFields, to: route)
        let device = try #require(first.cookie)
        #expect(device.hasPrefix("zonda-device="))
        let wrong = ["email": "ada@example.org", "password": "wrong"]
        // Attempts from one network do not affect others, whether their browser is known or not.
        while try await stage.submit(wrong, to: route).status != 429 {}
        #expect(try await stage.submit(SignInStage.rightFields, to: route, address: "198.51.100.1").status == 200)
        // Attempts from many networks do not affect known browsers, even behind the same address.
        for network in 0..<12 { _ = try await stage.submit(wrong, to: route, address: "203.0.\(network).1") }
        #expect(try await stage.submit(SignInStage.rightFields, to: route, address: "198.51.100.1").status == 429)
        #expect(try await stage.submit(SignInStage.rightFields, to: route, device: device).status == 200)
        // Wrong passwords from a known browser are counted too. A cookie of another account, or a forged one, is ignored.
        for _ in 0..<2 { #expect(try await stage.submit(wrong, to: route, device: device).status == 422) }
        #expect(try await stage.submit(SignInStage.rightFields, to: route, device: device).status == 429)
        let forged = String(device.dropLast(4)) + "AAAA"
        #expect(try await stage.submit(wrong, to: route, device: forged).status == 429)
    }
}
