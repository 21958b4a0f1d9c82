internal import CloudKitModel
internal import Foundation
internal import GatewayStorage
internal import HTTPServing
internal import HTTPTypes
internal import ServiceMessages

/// The page that a share link opens, `/share/{link}`. It shows the share to which the link leads, and accepts the share
/// or requests access to it if the user confirms. A GET request changes nothing, so programs that preview links do not
/// accept shares. Links are never logged.
struct LinkRoute: Sendable {
    private let accounts: any LinkAccounts
    private let identification: Identification
    private let csrfGuard: CSRFGuard
    private let visitors: VisitorCookie
    private let questions: LinkQuestions
    private let rates: RateLimits
    /// The limit on the number of requests that are answered concurrently.
    private let permits: FairBudget

    /// Creates the route for the pages under the public address of `link`.
    init(
        accounts: any LinkAccounts, identification: Identification, link: SignInLink, questions: LinkQuestions,
        rates: RateLimits, permits: FairBudget
    ) {
        self.accounts = accounts
        self.identification = identification
        self.questions = questions
        self.rates = rates
        self.permits = permits
        csrfGuard = CSRFGuard(publicURL: link.publicURL, keys: link.keys, folder: "share")
        visitors = VisitorCookie(publicURL: link.publicURL, keys: link.keys, now: link.now)
    }

    /// Returns a page.
    ///
    /// - Throws: ``ServerError`` or `PostgresError`.
    func answer(to request: GatewayRequest) async throws -> GatewayAnswer {
        let parts = request.path.split(separator: "/")
        guard parts.count == 2 else { return LinkPages.unknown }
        let link = PercentEncoding.decoded(parts[1])
        return request.method == .post ? try await submit(link, request) : try await show(link, request)
    }

    private func show(_ link: String, _ request: GatewayRequest) async throws -> GatewayAnswer {
        guard let account = try await visitor(request) else { return signInPage(link, request) }
        return try await page(link, for: account, request)
    }

    private func submit(_ link: String, _ request: GatewayRequest) async throws -> GatewayAnswer {
        guard let fields = FormFields(request.body, contentType: request.headers[.contentType]) else {
            return SignInRoute.forged
        }
        let cookies = request.headers[.cookie]
        let operations: [String: ServiceMessages.Operation] = [
            "accept": .recordsAccept, "request": .sharesRequestAccess,
        ]
        guard let operation = fields["action"].flatMap({ operations[$0] }) else {
            guard csrfGuard.accepts(fields["proof"], for: Self.signInSubject(link), cookies: cookies) else {
                return SignInRoute.forged
            }
            return try await signIn(link, fields, request)
        }
        // If there is no account, the visitor's cookie has become invalid since the page was shown.
        guard let account = try await visitor(request) else { return signInPage(link, request) }
        let subject = Self.acceptSubject(link, account)
        guard csrfGuard.accepts(fields["proof"], for: subject, cookies: cookies) else { return SignInRoute.forged }
        return try await page(link, for: account, request, asking: operation)
    }

    private func signIn(
        _ link: String, _ fields: FormFields, _ request: GatewayRequest
    ) async throws -> GatewayAnswer {
        let email = (fields["email"] ?? "").trimmingCharacters(in: .whitespacesAndNewlines)
        switch try await identification.identify(email, fields["password"] ?? "", request) {
        case .refused(let problem):
            return signInPage(link, request, email: email, problem)
        case .account(let found, _):
            guard let (account, password) = try await accounts.visitor(id: found.id) else {
                return signInPage(link, request)
            }
            identification.count(.signedIn)
            var answer = try await page(link, for: account, request)
            // The cookie is appended, because the page already sets the cookie of its form.
            answer.headers.append(
                HTTPField(name: .setCookie, value: visitors.setting(account: account.id, password: password)))
            return answer
        }
    }

    private func signInPage(
        _ link: String, _ request: GatewayRequest, email: String = "", _ problem: Identification.Problem? = nil
    ) -> GatewayAnswer {
        LinkPages.signIn(
            csrfGuard.ticket(for: Self.signInSubject(link), cookies: request.headers[.cookie]), email: email,
            status: problem?.status ?? 200, problem: problem?.text, retryAfter: problem?.retryAfter)
    }

    /// Returns the page for a user who has signed in.
    ///
    /// - Throws: `THROTTLED`, `too_busy`, or any error that ``LinkQuestions/ask(_:_:for:_:)`` throws.
    private func page(
        _ link: String, for account: Account, _ request: GatewayRequest,
        asking operation: ServiceMessages.Operation = .recordsResolve
    ) async throws -> GatewayAnswer {
        // Here, the limit for a user applies to the account, because a link is looked up before its container is known.
        try rates.admit(
            Caller(kind: .user(account: account.id), userName: "account \(account.id)"), in: "")
        let holder = Holder(address: IPAddress(request.address)?.network)
        if let bound = permits.take(1, for: holder) {
            throw ServerError.tooBusy("is answering the maximum number of requests", bound)
        }
        defer { permits.giveBack(1, of: holder) }
        switch try await questions.ask(operation, link, for: account, request) {
        case .unknown: return LinkPages.unknown
        case .notVerified: return LinkPages.notVerified
        case .requested: return LinkPages.requested
        case .mayRequest(let isInvited):
            return LinkPages.mayRequest(for: account, isInvited: isInvited, ticket(link, account, request))
        case .full: return LinkPages.full
        case .tooManyRequesters: return LinkPages.tooManyRequesters
        case .share(let share) where share.isAccepted: return LinkPages.accepted(share)
        case .share(let share):
            return LinkPages.share(share, for: account, ticket(link, account, request))
        }
    }

    private func ticket(_ link: String, _ account: Account, _ request: GatewayRequest) -> CSRFGuard.Ticket {
        csrfGuard.ticket(for: Self.acceptSubject(link, account), cookies: request.headers[.cookie])
    }

    /// Returns the account with which the user has signed in on one of these pages; nil if there is none.
    private func visitor(_ request: GatewayRequest) async throws -> Account? {
        guard let visit = visitors.visit(in: request.headers[.cookie]),
            let (account, password) = try await accounts.visitor(id: visit.account), visit.isOf(password: password)
        else { return nil }
        return account
    }

    private static func signInSubject(_ link: String) -> String { "share in \(link)" }

    private static func acceptSubject(_ link: String, _ account: Account) -> String {
        "share accept \(account.id) \(link)"
    }
}
