internal import CloudKitModel
internal import CoreMetrics
internal import Foundation
internal import GatewayStorage
internal import HTTPTypes
internal import RequestServing
internal import ServiceRuntime

/// Identifies users by email address and password, on the sign-in pages and on the pages that share links open. All of
/// these pages must share one instance, because the instance counts attempts.
struct Identification: Sendable {
    /// The outcome of an attempt.
    enum Outcome: String, CaseIterable {
        case signedIn = "signed_in"
        case signedOut = "signed_out"
        case refused
        case throttled
        case cancelled
    }

    /// The user who submitted a form, or the reason why the user was not identified.
    enum Identity: Sendable {
        /// An account, and the id of the browser if the account has signed in with this browser before.
        case account(Account, device: [UInt8]?)
        case refused(Problem)
    }

    /// The reason why a user is not identified, as a page shows it.
    struct Problem: Sendable {
        /// The text.
        var text: String
        /// The HTTP status of the page.
        var status: Int
        /// The number of seconds to wait, if attempts are throttled.
        var retryAfter: Int?

        fileprivate static let wrong = Problem(text: "The email address or the password is incorrect.", status: 422)

        fileprivate static func later(_ seconds: Int, status: Int) -> Problem {
            Problem(
                text: "Too many attempts. Try again in \(seconds) \(seconds == 1 ? "second" : "seconds").",
                status: status,
                retryAfter: seconds)
        }
    }

    private let accounts: any SignInStore
    private let deviceCookie: DeviceCookie
    private let throttle: SignInThrottle
    private let passwords: PasswordCheck
    private let outcomes: [Outcome: Counter]

    init(
        accounts: any SignInStore, link: SignInLink, configuration: SignInConfiguration, metrics: ServiceMetrics,
        now: @escaping @Sendable () -> ContinuousClock.Instant
    ) {
        self.accounts = accounts
        deviceCookie = DeviceCookie(publicURL: link.publicURL, keys: link.keys, now: link.now)
        throttle = SignInThrottle(configuration, now: now)
        passwords = PasswordCheck(maxChecks: configuration.maxChecks, cost: configuration.passwordCost)
        outcomes = Dictionary(
            uniqueKeysWithValues: Outcome.allCases.map {
                ($0, metrics.counter(Self.signIns, ["outcome": $0.rawValue]))
            })
    }

    /// Checks an email address and a password. If one of them is wrong, neither the response nor its timing reveals
    /// which one.
    ///
    /// - Throws: `PostgresError`.
    func identify(_ email: String, _ password: String, _ request: GatewayRequest) async throws -> Identity {
        let device = EmailAddress(email).flatMap { deviceCookie.device(of: $0, in: request.headers[.cookie]) }
        switch throttle.admit(address: request.address, email: email, device: device) {
        case .waits(let seconds):
            count(.throttled)
            return .refused(.later(seconds, status: 429))
        case .admitted(let attempt):
            var isWrong = false
            defer { if !isWrong { throttle.discount(attempt) } }
            // An invalid address is not looked up, because it could contain a NUL, which PostgreSQL does not accept in
            // text.
            let found = EmailAddress(email) == nil ? nil : try await accounts.account(email: email)
            // A password that is too long is refused after the usual time.
            let isShort = password.utf8.count <= PasswordHash.maxLength
            let isRight = await passwords.verifies(
                isShort ? password : "", isShort ? found?.password : nil, isKnown: device != nil)
            guard let isRight else {
                count(.throttled)
                return .refused(.later(5, status: 503))
            }
            guard isRight, let account = found?.account else {
                isWrong = true
                count(.refused)
                return .refused(.wrong)
            }
            return .account(account, device: device)
        }
    }

    /// Returns the value of the `Set-Cookie` header for the ``DeviceCookie``, which shows that the account has signed
    /// in with this browser; nil if the account's address is invalid.
    ///
    /// - Parameter device: the id of the browser; nil assigns a new one.
    func deviceCookie(of account: Account, device: [UInt8]?) -> String? {
        EmailAddress(account.email).map { deviceCookie.setting(for: $0, device: device) }
    }

    /// Counts an attempt.
    func count(_ outcome: Outcome) { outcomes[outcome]?.increment() }

    private static let signIns = MetricFamily.counter(
        "zonda_gateway_sign_ins_total", "Attempts to sign in, or to sign out of all devices, by outcome.")
}
