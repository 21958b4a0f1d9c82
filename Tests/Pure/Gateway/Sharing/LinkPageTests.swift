import AMQPClient
import CloudKitModel
import CloudKitWire
import HTTPTypes
import Logging
import RequestServing
import ServiceMessages
import Synchronization
import Testing

@testable import Gateway

/// The page of a link to a share.
@Suite struct LinkPageTests {
    @Test func whoHasNotSignedInLearnsNothing() async throws {
        let stage = LinkStage()
        let route = try stage.route()
        let known = try await route.answer(to: LinkStage.request(.get))
        stage.isKnown.withLock { $0 = false }
        for link in ["unknown", "' or true", String(repeating: "x", count: 5000), "%00"] {
            let other = try await route.answer(to: LinkStage.request(.get, link))
            #expect(other.plain == known.plain && other.status == known.status)
        }
        #expect(known.html.contains("Sign in") && !known.html.contains("Groceries"))
        #expect(!known.html.contains(LinkStage.link))
        #expect(stage.operations.isEmpty)
    }

    @Test func thePageIsProtectedLikeTheSignInPages() async throws {
        let page = try await LinkStage().route().answer(to: LinkStage.request(.get))
        #expect(page.headers[.cacheControl] == "no-store")
        #expect(page.headers[HTTPField.Name("Referrer-Policy")!] == "no-referrer")
        #expect(page.headers[HTTPField.Name("X-Frame-Options")!] == "DENY")
        let policy = try #require(page.headers[.contentSecurityPolicy])
        #expect(policy.contains("default-src 'none'") && policy.hasSuffix("form-action 'self'"))
        #expect(page.headers[.setCookie]?.hasSuffix("; Path=/share; HttpOnly; SameSite=Lax") == true)
        let secure = try await LinkStage().route("https://zonda.example.org").answer(to: LinkStage.request(.get))
        #expect(secure.headers[.setCookie]?.hasPrefix("__Host-zonda-signin=") == true)
    }

    @Test func theInvitedSeesTheTitleAndAcceptsByTheFormOnly() async throws {
        let stage = LinkStage()
        let route = try stage.route()
        let (page, cookies) = try await stage.signIn(route)
        #expect(page.status == 200 && page.html.contains("Groceries &lt;3"))
        // The page is shown again without another password. Showing it accepts nothing.
        let again = try await route.answer(to: LinkStage.request(.get, cookie: cookies))
        #expect(again.plain == page.plain)
        #expect(Set(stage.operations) == ["shares.locate", "records.resolve"])

        let form = again.hidden.merging(["action": "accept"]) { $1 }
        stage.result.withLock { $0 = LinkStage.share("ACCEPTED") }
        let accepted = try await route.answer(to: LinkStage.request(.post, cookie: cookies, form: form))
        #expect(accepted.status == 200 && accepted.html.contains("You have access"))
        let message = try #require(stage.asked.withLock { $0.last })
        #expect(message.routingKey == "records.accept")
        #expect(message.properties.headers.string(Header.identity) == "ada@example.org")
        #expect(message.properties.headers.string(Header.environment) == "production")
        #expect(message.properties.headers.string(Header.user) == "_" + String(repeating: "7", count: 32))
        #expect(
            try JSONValue(parsing: message.body) == ["shortGUIDs": [["value": .string(LinkStage.link)]]])
    }

    @Test func whatTheUserMayNotSeeIsOnePage() async throws {
        let stage = LinkStage()
        let route = try stage.route()
        stage.isKnown.withLock { $0 = false }
        let (unknown, cookies) = try await stage.signIn(route)
        #expect(unknown.status == 404 && !unknown.html.contains(LinkStage.link))
        stage.isKnown.withLock { $0 = true }
        let errors = [
            LinkStage.failure(11, "share_link_unknown"), LinkStage.failure(12, "container_not_found"), [:],
        ]
        for error in errors {
            stage.result.withLock { $0 = error }
            let page = try await route.answer(to: LinkStage.request(.get, cookie: cookies))
            #expect(page.plain == unknown.plain && page.status == 404)
        }
        stage.result.withLock { $0 = LinkStage.share("INVITED") }
        for odd in ["a/b", "", "%00", "a%22b", String(repeating: "x", count: 5000)] {
            let page = try await route.answer(to: LinkStage.request(.get, odd, cookie: cookies))
            #expect(page.plain == unknown.plain && page.status == 404, "\(odd)")
        }
        stage.result.withLock { $0 = LinkStage.failure(33, "participant_not_verified") }
        let unverified = try await route.answer(to: LinkStage.request(.get, cookie: cookies))
        #expect(unverified.status == 403 && !unverified.html.contains("Groceries"))
    }

    @Test func aFormOfAnotherPageIsRefused() async throws {
        let stage = LinkStage()
        let route = try stage.route()
        let (page, cookies) = try await stage.signIn(route)
        let accept = ["action": "accept"]
        for (link, cookie, fields) in [
            (LinkStage.link, cookies, accept),
            ("other", cookies, page.hidden.merging(accept) { $1 }),
            // The proof of the form for signing in accepts nothing.
            (
                LinkStage.link, cookies,
                try await route.answer(to: LinkStage.request(.get)).hidden.merging(accept) { $1 }
            ),
        ] {
            let answer = try await route.answer(to: LinkStage.request(.post, link, cookie: cookie, form: fields))
            #expect(answer.status == 403)
        }
        // Another browser has not signed in.
        let form = page.hidden.merging(accept) { $1 }
        let other = try await route.answer(to: LinkStage.request(.post, form: form))
        #expect(other.status == 200 && other.html.contains(#"type="password""#))
        #expect(!stage.operations.contains("records.accept"))
    }

    /// The result of a request for access that was not refused.
    private static let requested: JSONValue = ["shortGUID": ["value": .string(LinkStage.link)]]

    /// Submits the form of a page that offers to request access. `result` is the result of the request, and `after` is
    /// what the link leads to afterwards.
    private func request(
        _ reason: String, _ code: Int64, result: JSONValue, after: JSONValue
    ) async throws -> (offer: GatewayAnswer, page: GatewayAnswer, stage: LinkStage) {
        let stage = LinkStage()
        let route = try stage.route()
        stage.result.withLock { $0 = LinkStage.failure(code, reason) }
        let (offer, cookies) = try await stage.signIn(route)
        #expect(!stage.operations.contains("shares.requestAccess"))
        stage.requestResult.withLock { $0 = result }
        stage.result.withLock { $0 = after }
        let form = offer.hidden.merging(["action": "request"]) { $1 }
        let page = try await route.answer(to: LinkStage.request(.post, cookie: cookies, form: form))
        #expect(stage.operations.contains("shares.requestAccess"))
        return (offer, page, stage)
    }

    @Test func aUserWhoMayRequestAccessDoesSoByTheFormOnly() async throws {
        let (offer, page, stage) = try await request(
            "access_request_required", 10, result: Self.requested,
            after: LinkStage.failure(10, "access_request_pending"))
        #expect(offer.status == 403 && offer.html.contains(#"value="request""#) && !offer.html.contains("Groceries"))
        #expect(!offer.html.contains("invited by email"))
        #expect(page.status == 200 && page.html.contains("Access requested"))
        let count = stage.operations.count
        let route = try stage.route()
        let cookies = try await stage.signIn(route).cookies
        let forged = try await route.answer(
            to: LinkStage.request(.post, cookie: cookies, form: ["action": "request", "proof": "x"]))
        #expect(forged.status == 403)
        #expect(!stage.operations.dropFirst(count).contains("shares.requestAccess"))
    }

    @Test func aPendingRequestHasAPageOfItsOwn() async throws {
        let stage = LinkStage()
        stage.result.withLock { $0 = LinkStage.failure(10, "access_request_pending") }
        let page = try await stage.signIn(try stage.route()).page
        #expect(page.status == 200 && page.html.contains("not answered your request"))
        #expect(!page.html.contains("<form"))
    }

    @Test func aUserWhoWasInvitedByAnotherAddressMayRequestAccessIfTheOwnerAllowsIt() async throws {
        let (offer, page, _) = try await request(
            "participant_may_request", 33, result: Self.requested,
            after: LinkStage.failure(10, "access_request_pending"))
        #expect(offer.status == 403 && offer.html.contains("invited by email"))
        #expect(page.html.contains("Access requested"))
        let stage = LinkStage()
        stage.result.withLock { $0 = LinkStage.failure(33, "participant_not_verified") }
        let refused = try await stage.signIn(try stage.route()).page
        #expect(refused.status == 403 && !refused.html.contains("<form"))
    }

    @Test func aUserWhoIsInvitedInTheMeantimeSeesTheInvitation() async throws {
        let (_, page, _) = try await request(
            "access_request_required", 10, result: LinkStage.failure(37, "participant_already_invited"),
            after: LinkStage.share("INVITED"))
        #expect(page.status == 200 && page.html.contains("Groceries") && page.html.contains(#"value="accept""#))
    }

    @Test func aUserWhoHasAccessInTheMeantimeIsToldSo() async throws {
        let (_, page, _) = try await request(
            "access_request_required", 10, result: Self.requested, after: LinkStage.share("ACCEPTED"))
        #expect(page.status == 200 && page.html.contains("You have access"))
    }

    @Test func aRequestBeyondTheLimitHasAPageOfItsOwn() async throws {
        let (_, page, _) = try await request(
            "access_request_required", 10, result: LinkStage.failure(27, "too_many_requesters"),
            after: LinkStage.failure(10, "access_request_required"))
        #expect(page.status == 403 && page.html.contains("Too many requests"))
    }

    @Test func aSignInEndsAfterAWhileAndWithThePassword() async throws {
        let stage = LinkStage()
        let route = try stage.route()
        let (_, cookies) = try await stage.signIn(route)
        func isSignedIn() async throws -> Bool {
            try await route.answer(to: LinkStage.request(.get, cookie: cookies)).html.contains("Groceries")
        }
        #expect(try await isSignedIn())
        stage.accounts.state.withLock { $0.accounts["ada@example.org"]?.1 = "another" }
        #expect(try await !isSignedIn())
        stage.accounts.state.withLock { $0.accounts["ada@example.org"]?.1 = SignInStage.hash }
        #expect(try await isSignedIn())
        stage.accounts.milliseconds.withLock { $0 += VisitorCookie.life.components.seconds * 1000 }
        #expect(try await !isSignedIn())
    }

    @Test func wrongPasswordsCountAsOnTheSignInPage() async throws {
        let stage = LinkStage()
        let route = try stage.route()
        #expect(try await stage.signIn(route, password: "wrong").page.status == 422)
        for _ in 0..<10 { _ = try await stage.signIn(route, password: "wrong") }
        #expect(try await stage.signIn(route, password: "correct horse").page.status == 429)
        #expect(stage.operations.isEmpty)
    }

    @Test func guessesOfAUserAreThrottled() async throws {
        let stage = LinkStage(userRate: TokenBucket.Rate(perMinute: 1, burst: 3))
        let route = try stage.route()
        stage.isKnown.withLock { $0 = false }
        let (_, cookies) = try await stage.signIn(route)
        for guess in 0..<2 {
            _ = try await route.answer(to: LinkStage.request(.get, "guess\(guess)", cookie: cookies))
        }
        let error = await #expect(throws: ServerError.self) {
            try await route.answer(to: LinkStage.request(.get, "guess", cookie: cookies))
        }
        #expect(error?.code == .throttled)
        #expect(stage.operations.count == 3)
    }

    @Test func linksAreInNoLog() async throws {
        let stage = LinkStage()
        let log = NotedLog()
        let route = try stage.route(
            logger: {
                var logger = Logger(label: "test") { _ in log }
                logger.logLevel = .trace
                return logger
            }())
        let (_, cookies) = try await stage.signIn(route)
        stage.result.withLock { $0 = LinkStage.failure(20, "database_away") }
        _ = try? await route.answer(to: LinkStage.request(.get, cookie: cookies))
        #expect(!log.lines.withLock { $0.joined() }.contains(LinkStage.link))
        #expect(RequestRoute(path: "/share/\(LinkStage.link)").name == "share")
    }
}

/// A log in memory.
private final class NotedLog: LogHandler {
    let lines = Mutex<[String]>([])

    var logLevel: Logger.Level {
        get { .trace }
        set {}
    }
    var metadata: Logger.Metadata {
        get { [:] }
        set {}
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { nil }
        set {}
    }

    func log(event: LogEvent) {
        lines.withLock { $0.append("\(event.message) \(event.metadata ?? [:])") }
    }
}
