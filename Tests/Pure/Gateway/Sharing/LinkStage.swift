import AMQPClient
import CloudKitWire
import Foundation
import HTTPTypes
import Logging
import RequestServing
import ServiceMessages
import ServiceRuntime
import SignedTokens
import Synchronization
import Testing

@testable import Gateway
@testable import GatewayStorage

/// A page of links with accounts in memory, and with a record service that the test defines.
final class LinkStage: Sendable {
    static let link = "0a1BcDeFgHiJkLmNoPqRsTuV"

    let accounts = SignInStage()
    /// The messages that the record service received.
    let asked = Mutex<[AMQPMessage]>([])
    /// The result of the operations on a link.
    let result = Mutex<JSONValue>(LinkStage.share("INVITED"))
    /// The result of `shares.requestAccess`, if it differs from ``result``.
    let requestResult = Mutex<JSONValue?>(nil)
    /// Whether the link is known.
    let isKnown = Mutex(true)
    let rates: RateLimits

    init(userRate: TokenBucket.Rate? = nil) {
        rates = RateLimits(RateLimits.Rates(user: userRate), metrics: GatewayMetrics(ServiceMetrics()))
    }

    /// A result for a share with a title.
    static func share(_ status: String, title: String = "Groceries <3") -> JSONValue {
        [
            "share": ["fields": ["cloudkit.title": ["value": .string(title)]]],
            "participantStatus": .string(status), "participantPermission": "READ_ONLY",
        ]
    }

    /// A result for a link that cannot be opened.
    static func failure(_ code: Int64, _ reasonCode: String) -> JSONValue {
        ["ckErrorCode": .int(code), "reasonCode": .string(reasonCode), "reason": "no"]
    }

    func route(_ publicURL: String = "http://127.0.0.1:8080", logger: Logger? = nil) throws -> LinkRoute {
        let forwarder = RequestForwarder(
            call: { [self] message, _ throws(AMQPError) in try reply(to: message) }, isConnected: { true },
            userID: "gateway", requestTime: .seconds(25),
            logger: logger ?? Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        return LinkRoute(
            accounts: accounts, identification: try accounts.route(publicURL).identification,
            link: try accounts.link(publicURL), questions: LinkQuestions(forwarder: forwarder, accounts: accounts),
            rates: rates, permits: FairBudget(10))
    }

    private func reply(to message: AMQPMessage) throws(AMQPError) -> AMQPDelivery {
        asked.withLock { $0.append(message) }
        var body: JSONValue = ["container": .string(SignInStage.container), "environment": "production"]
        if message.routingKey == ServiceMessages.Operation.sharesLocate.rawValue {
            if !isKnown.withLock({ $0 }) { body = [:] }
        } else {
            let isRequest = message.routingKey == ServiceMessages.Operation.sharesRequestAccess.rawValue
            let requested = isRequest ? requestResult.withLock { $0 } : nil
            body = ["results": .array([requested ?? result.withLock { $0 }])]
        }
        return AMQPDelivery(
            queue: "", deliveryTag: 1, properties: AMQPProperties(headers: [Header.status: .int64(200)]),
            body: body.encoded())
    }

    /// The operations that the record service was asked for.
    var operations: [String] { asked.withLock { $0.map(\.routingKey) } }

    static func request(
        _ method: HTTPRequest.Method, _ link: String = link, cookie: String? = nil, form: [String: String]? = nil
    ) -> GatewayRequest {
        SignInStage.request(method, "/share/\(link)", cookie: cookie, form: form)
    }

    /// Signs in on the page of a link, and returns the page that follows and all cookies of the browser.
    func signIn(
        _ route: LinkRoute, _ link: String = link, password: String = "correct horse"
    ) async throws -> (page: GatewayAnswer, cookies: String) {
        let page = try await route.answer(to: Self.request(.get, link))
        let form = page.hidden.merging(["email": "ada@example.org", "password": password, "action": "signin"]) { $1 }
        let cookie = try #require(page.cookie)
        let answer = try await route.answer(to: Self.request(.post, link, cookie: cookie, form: form))
        let cookies = [cookie] + answer.headers[values: .setCookie].map { String($0.prefix { $0 != ";" }) }
        return (answer, cookies.joined(separator: "; "))
    }
}

extension SignInStage: LinkAccounts {
    func visitor(id: Int64) async throws -> (account: Account, password: String?)? {
        state.withLock { $0.accounts.values.first { $0.0.id == id } }.map { (account: $0.0, password: $0.1) }
    }

    func userName(of account: Int64, in container: String) async throws -> String {
        "_" + String(repeating: "7", count: 32)
    }
}

extension GatewayAnswer {
    /// The page without what is random: the nonce of its style, and the proof of its form.
    var plain: String {
        html.replacing(/nonce="[^"]*"/, with: "").replacing(/name="proof" value="[^"]*"/, with: "")
    }
}
