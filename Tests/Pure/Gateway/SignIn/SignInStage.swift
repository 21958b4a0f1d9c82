import CloudKitModel
import Foundation
import HTTPTypes
import RequestServing
import ServiceRuntime
import SignedTokens
import Synchronization

@testable import Gateway
@testable import GatewayStorage

/// Accounts in memory, and a browser without a display.
final class SignInStage: Sendable {
    /// A sign-in that the store was asked to open.
    struct Session: Hashable {
        var account: Int64
        var container: String
        var environment: EnvironmentName
        var staysSignedIn: Bool
    }

    struct State {
        var tokens: [String: APIToken] = [:]
        var accounts: [String: (Account, String?)] = [:]
        var sessions: [Session] = []
    }

    static let token = String(repeating: "a1", count: 32)
    /// The hash of `correct horse`, with a low cost.
    static let hash = "scrypt$16$8$1$AAECAwQFBgcICQoLDA0ODw==$Q7EcH175P/kcU7JE2HRU+qTRrq/BS6UbCRYPdBaC5y8="
    static let webAuthToken = "w+/" + String(repeating: "B", count: 100) + "=_"
    static let container = "iCloud.org.example.Notes"

    let state = Mutex(State())
    let milliseconds = Mutex<Int64>(1_768_470_000_000)
    let instant = Mutex(ContinuousClock.now)
    let metrics = ServiceMetrics()

    /// Creates an account `ada@example.org` with the password `correct horse`, and an API token.
    init(origins: [String] = ["https://app.example.org"], callbackURL: String? = nil, name: String = "Notes") {
        state.withLock { state in
            state.tokens[Self.token] = APIToken(
                token: Self.token, container: Self.container, environment: .development, name: name,
                origins: origins, callbackURL: callbackURL)
            state.accounts["ada@example.org"] = (
                Account(
                    id: 7, email: "ada@example.org", givenName: "Ada", familyName: "Doe", isDiscoverable: true),
                Self.hash
            )
        }
    }

    static func keys() throws -> SigningKeys {
        try SigningKeys(parsing: "test:" + String(repeating: "5a", count: 32), for: .signIn)
    }

    func link(_ publicURL: String = "http://127.0.0.1:8080") throws -> SignInLink {
        SignInLink(publicURL: publicURL, keys: try Self.keys(), now: { [self] in milliseconds.withLock { $0 } })
    }

    func route(
        _ publicURL: String = "http://127.0.0.1:8080", _ configuration: SignInConfiguration = SignInConfiguration()
    ) throws -> SignInRoute {
        SignInRoute(
            accounts: self, link: try link(publicURL), configuration: configuration, metrics: metrics,
            now: { [self] in instant.withLock { $0 } })
    }

    /// The value of the parameter `t` for the API token.
    func linkText() throws -> String { try link().seal(Self.token) }

    static func request(
        _ method: HTTPRequest.Method, _ path: String = "/signin", query: String = "", cookie: String? = nil,
        form: [String: String]? = nil, address: String = "192.0.2.1"
    ) -> GatewayRequest {
        var headers = HTTPFields()
        headers[.cookie] = cookie
        if form != nil { headers[.contentType] = "application/x-www-form-urlencoded" }
        let body = (form ?? [:]).map { "\(encoded($0))=\(encoded($1))" }.joined(separator: "&")
        return GatewayRequest(
            method: method, target: path + (query.isEmpty ? "" : "?\(query)"), path: path,
            query: QueryParameters(query), headers: headers, body: Array(body.utf8), address: address,
            requestID: "request", trace: nil)
    }

    /// Encodes a text as browsers encode form fields.
    static func encoded(_ text: String) -> String {
        text.utf8.map { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                String(UnicodeScalar(byte))
            case UInt8(ascii: " "): "+"
            default: "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }.joined()
    }

    /// Opens the page, fills in the form and submits it.
    func submit(
        _ fields: [String: String], to route: SignInRoute? = nil, address: String = "192.0.2.1", query: String = "",
        device: String? = nil
    ) async throws -> GatewayAnswer {
        let route = try route ?? self.route()
        let page = try await route.answer(to: Self.request(.get, query: "t=\(try linkText())\(query)"))
        let form = page.hidden.merging(fields) { $1 }
        let cookies = [page.cookie, device].compactMap { $0 }.joined(separator: "; ")
        return try await route.answer(to: Self.request(.post, cookie: cookies, form: form, address: address))
    }

    static let rightFields = ["email": "ada@example.org", "password": "correct horse", "action": "signin"]
}

extension SignInStage: SignInStore {
    func account(email: String) async throws -> (account: Account, password: String?)? {
        state.withLock { $0.accounts[email.lowercased()] }.map { (account: $0.0, password: $0.1) }
    }

    func apiToken(_ token: String) async throws -> APIToken? { state.withLock { $0.tokens[token] } }

    func openSession(
        of account: Int64, container: String, environment: EnvironmentName, staysSignedIn: Bool, source: SignInSource
    ) async throws -> String {
        state.withLock { state in
            state.sessions.append(
                Session(
                    account: account, container: container, environment: environment, staysSignedIn: staysSignedIn))
        }
        return Self.webAuthToken
    }

    func signOutEverywhere(_ account: Int64) async throws -> Int {
        state.withLock { state in
            let count = state.sessions.count
            state.sessions.removeAll { $0.account == account }
            return count - state.sessions.count
        }
    }
}

extension GatewayAnswer {
    /// The page.
    var html: String { String(decoding: body, as: UTF8.self) }

    /// The cookie that a browser would send back.
    var cookie: String? { headers[.setCookie].map { String($0.prefix { $0 != ";" }) } }

    /// The hidden fields of the page's form.
    var hidden: [String: String] {
        var fields: [String: String] = [:]
        for match in html.matches(of: /<input type="hidden" name="([^"]*)" value="([^"]*)">/) {
            // Decodes the attribute as a browser does.
            fields[String(match.1)] = String(match.2).replacing("&quot;", with: "\"").replacing("&amp;", with: "&")
        }
        return fields
    }
}
