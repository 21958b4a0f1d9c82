internal import CloudKitModel
internal import CloudKitWire
internal import Foundation
internal import GatewayStorage
internal import HTTPTypes
internal import RequestServing
internal import ServiceRuntime

/// The sign-in pages, under `/signin` (web-services 4.2). Every response is an HTML page. Passwords, tokens and page
/// addresses are never logged.
struct SignInRoute: Sendable {
    /// The sign-out form's subject, which is the same for all users.
    private static let signOutSubject = "out"
    /// The maximum length, in bytes, of the text that is returned to an application.
    private static let maxStateBytes = 1024

    private let accounts: any SignInStore
    private let link: SignInLink
    private let csrfGuard: CSRFGuard
    /// The check of email addresses and passwords.
    let identification: Identification

    /// Creates the route for the pages at `link`. There must be only one route, because it counts attempts.
    init(
        accounts: any SignInStore, link: SignInLink, configuration: SignInConfiguration = SignInConfiguration(),
        metrics: ServiceMetrics, now: @escaping @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now }
    ) {
        self.accounts = accounts
        self.link = link
        csrfGuard = CSRFGuard(publicURL: link.publicURL, keys: link.keys)
        identification = Identification(
            accounts: accounts, link: link, configuration: configuration, metrics: metrics, now: now)
    }

    /// Returns a page or a redirect.
    ///
    /// - Throws: `PostgresError`.
    func answer(to request: GatewayRequest) async throws -> GatewayAnswer {
        switch (request.path.split(separator: "/"), request.method) {
        case (["signin"], .get): return try await signInPage(request)
        case (["signin"], .post): return try await signIn(request)
        case (["signin", "out"], .get): return signOutPage(request)
        case (["signin", "out"], .post): return try await signOut(request)
        default: return SignInPages.notice("Not found", "This page does not exist.", status: 404)
        }
    }

    // MARK: Signing in

    private func signInPage(_ request: GatewayRequest) async throws -> GatewayAnswer {
        switch try await open(request.query["t"], state: request.query["state"]) {
        case .valid(let form): SignInPages.signIn(with(form, for: request))
        case .invalid(let answer): answer
        }
    }

    private func signIn(_ request: GatewayRequest) async throws -> GatewayAnswer {
        guard let fields = FormFields(request.body, contentType: request.headers[.contentType]) else {
            return Self.invalidForm
        }
        let (text, state) = (fields["t"] ?? "", fields["state"] ?? "")
        let subject = Self.subject(link: text, state: state)
        guard csrfGuard.accepts(fields["proof"], for: subject, cookies: request.headers[.cookie]) else {
            return Self.forged
        }
        var form: SignInPages.Form
        switch try await open(text, state: state) {
        case .valid(let opened): form = with(opened, for: request)
        case .invalid(let answer): return answer
        }
        if fields["action"] == "cancel" {
            identification.count(.cancelled)
            return Self.deliver(
                ["errorMessage": "The user has cancelled signing in"], "Cancelled", "You are not signed in.", to: form)
        }
        form.email = Self.trimmed(fields["email"])
        form.staysSignedIn = fields["keep"] == "1"
        switch try await identification.identify(form.email, fields["password"] ?? "", request) {
        case .refused(let problem):
            return SignInPages.signIn(
                form, status: problem.status, problem: problem.text, retryAfter: problem.retryAfter)
        case .account(let account, let device):
            let token = try await accounts.openSession(
                of: account.id, container: form.token.container, environment: form.token.environment,
                staysSignedIn: form.staysSignedIn,
                source: SignInSource(address: request.address, apiToken: form.token.token))
            identification.count(.signedIn)
            // Apple's guide and CloudKit JS use different names for the token.
            var answer = Self.deliver(
                ["ckWebAuthToken": token, "ckSession": token], "You are signed in",
                "The application has been notified.",
                to: form)
            answer.headers[.setCookie] = identification.deviceCookie(of: account, device: device)
            return answer
        }
    }

    private enum Opened {
        case valid(SignInPages.Form)
        case invalid(GatewayAnswer)
    }

    /// Returns the form for a link, without its ticket.
    ///
    /// - Parameter state: text from the application's link, which is returned to the application.
    private func open(_ text: String?, state: String?) async throws -> Opened {
        let state = state ?? ""
        guard let text, let content = link.open(text), state.utf8.count <= Self.maxStateBytes else {
            return .invalid(Self.badLink)
        }
        guard case .token(let name) = content, let token = try await accounts.apiToken(name) else {
            return .invalid(Self.expiredLink)
        }
        let target = SignInTarget(token)
        guard target != .none else { return .invalid(Self.noRecipient(token)) }
        return .valid(
            SignInPages.Form(
                token: token, target: target, link: text, state: state,
                ticket: CSRFGuard.Ticket(cookie: "", field: "")))
    }

    private func with(_ form: SignInPages.Form, for request: GatewayRequest) -> SignInPages.Form {
        var form = form
        form.ticket = csrfGuard.ticket(
            for: Self.subject(link: form.link, state: form.state), cookies: request.headers[.cookie])
        return form
    }

    /// Returns the subject of a sign-in form.
    private static func subject(link: String, state: String) -> String {
        state.isEmpty ? link : "\(link) \(state)"
    }

    /// Returns the response that delivers a message to the application, through the recipient named by the
    /// application's API token.
    private static func deliver(
        _ message: KeyValuePairs<String, String>, _ title: String, _ text: String, to form: SignInPages.Form
    ) -> GatewayAnswer {
        switch form.target {
        case .callback(let callback):
            SignInPages.redirect(to: callback.adding(form.state.isEmpty ? [:] : ["state": form.state], message))
        case .origins(let origins):
            SignInPages.delivery(
                title, text, message: .object(message.map { JSONValue.Member($0.key, .string($0.value)) }),
                to: origins)
        case .none: noRecipient(form.token)
        }
    }

    // MARK: Signing out

    private func signOutPage(_ request: GatewayRequest) -> GatewayAnswer {
        SignInPages.signOut(csrfGuard.ticket(for: Self.signOutSubject, cookies: request.headers[.cookie]))
    }

    private func signOut(_ request: GatewayRequest) async throws -> GatewayAnswer {
        guard let fields = FormFields(request.body, contentType: request.headers[.contentType]) else {
            return Self.invalidForm
        }
        let cookies = request.headers[.cookie]
        guard csrfGuard.accepts(fields["proof"], for: Self.signOutSubject, cookies: cookies) else {
            return Self.forged
        }
        let email = Self.trimmed(fields["email"])
        switch try await identification.identify(email, fields["password"] ?? "", request) {
        case .refused(let problem):
            return SignInPages.signOut(
                csrfGuard.ticket(for: Self.signOutSubject, cookies: cookies), email: email, status: problem.status,
                problem: problem.text, retryAfter: problem.retryAfter)
        case .account(let account, _):
            let ended = try await accounts.signOutEverywhere(account.id)
            identification.count(.signedOut)
            return SignInPages.notice(
                "Signed out", "\(ended) \(ended == 1 ? "session has" : "sessions have") ended.", status: 200)
        }
    }

    private static func trimmed(_ text: String?) -> String {
        (text ?? "").trimmingCharacters(in: .whitespacesAndNewlines)
    }

    // MARK: Refusals

    private static var badLink: GatewayAnswer {
        SignInPages.notice(
            "This link is incomplete", "Return to the application and sign in from there.", status: 400)
    }
    private static var expiredLink: GatewayAnswer {
        SignInPages.notice(
            "This link has expired", "Return to the application and sign in from there.", status: 410)
    }
    private static var invalidForm: GatewayAnswer {
        SignInPages.notice(
            "This form is invalid", "Return to the application and sign in from there.", status: 400)
    }
    /// The response to a form sent from another page or another browser.
    static var forged: GatewayAnswer {
        SignInPages.notice(
            "This form cannot be trusted",
            "It came from another page or another browser, or cookies are disabled. Go back and try again.",
            status: 403)
    }

    private static func noRecipient(_ token: APIToken) -> GatewayAnswer {
        SignInPages.notice(
            "Sign-in is not set up",
            "The API token “\(token.name)” of \(token.container) has neither a web origin nor a callback URL for the "
                + "result of a sign-in. An operator can create a token that has one:",
            status: 403,
            command: "zonda token create NAME --container \(token.container) "
                + "--environment \(token.environment.rawValue) --origin https://…")
    }
}
