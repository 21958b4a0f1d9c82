import AMQPClient
import CloudKitModel
import Foundation
import HTTPServing
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOSSL
import RequestServing
import ServiceMessages
import ServiceRuntime
import Synchronization
import TestSupport

@testable import Gateway

/// The gateway's HTTP on a port of its own, with a caller and services that the test makes up.
struct GatewayFront: Sendable {
    /// What the front asked its services, and what they answer.
    final class Services: Sendable {
        private let messages = Mutex<[AMQPMessage]>([])
        /// Of the messages, in order.
        var asked: [AMQPMessage] { messages.withLock { $0 } }
        /// The answer to the next ones.
        let answer: Mutex<@Sendable (AMQPMessage) async throws -> (status: Int64, body: String)>

        init() { answer = Mutex { _ in (200, #"{"records":[]}"#) } }

        func call(_ message: AMQPMessage, _ time: Duration) async throws(AMQPError) -> AMQPDelivery {
            messages.withLock { $0.append(message) }
            let answer = self.answer.withLock { $0 }
            do {
                let (status, body) = try await answer(message)
                return AMQPDelivery(
                    queue: "", deliveryTag: 1, properties: AMQPProperties(headers: [Header.status: .int64(status)]),
                    body: Array(body.utf8))
            } catch let error as AMQPError {
                throw error
            } catch {
                throw AMQPError(.cancelled, "\(error)")
            }
        }
    }

    /// How the front is set up.
    struct Setup: Sendable {
        var rates = RateLimits.Rates()
        var maxBodyBytes = 1 << 20
        var memory = FairBudget(8 << 20)
        var maxConnections = 100
        var stallLimit = Duration.seconds(20)
        var sendingTime = Duration.seconds(20)
        var turns = FairBudget(100)
        var isSecure = false
        var admits: @Sendable (GatewayRequest, WebEndpointPath) async throws -> Void = { _, _ in }
        var answerTime = Duration.seconds(27)
        var proxies: [AddressRange] = []
        var tls: TLSConfiguration?
        var authenticate: @Sendable (GatewayRequest, WebEndpointPath) async throws -> Caller = { _, _ in
            Caller(kind: .user(account: 1), userName: GatewayFront.user, apiToken: "t", renewedToken: "fresh")
        }
        var signIn: @Sendable (GatewayRequest) async throws -> GatewayAnswer = { _ in
            GatewayAnswer(contentType: "text/html", Array(repeating: UInt8(ascii: "x"), count: 5000))
        }
        var courier: @Sendable (Request, QueryParameters, any Channel) async throws -> Response = { _, _, _ in
            Response(status: .ok)
        }
    }

    static let user = "_0123456789abcdef0123456789abcdef"
    static let modify = "/database/1/com.example/development/private/records/modify"

    let port: Int
    let services: Services

    /// Runs a front while `body` runs.
    static func with(_ setup: Setup = Setup(), _ body: (GatewayFront) async throws -> Void) async throws {
        let services = Services()
        let (ports, port) = AsyncStream.makeStream(of: Int.self)
        var server = server(setup, services)
        server.onRunning = { port.yield($0) }
        try await withThrowingTaskGroup(of: Void.self) { [server] group in
            group.addTask { try await server.run() }
            defer { group.cancelAll() }
            for await port in ports { return try await body(GatewayFront(port: port, services: services)) }
        }
    }

    /// A server on a free port.
    static func server(_ setup: Setup, _ services: Services) -> GatewayHTTPServer {
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let registry = ServiceMetrics()
        let metrics = GatewayMetrics(registry)
        let connectionMetrics = ConnectionMetrics(registry)
        let errors = ErrorAnswers(
            database: DatabaseRetry(logger: logger, metrics: RequestMetrics(registry)), logger: logger)
        let rates = RateLimits(setup.rates, metrics: metrics)
        let forwarder = RequestForwarder(
            call: { message, time throws(AMQPError) in try await services.call(message, time) }, isConnected: { true },
            userID: "gateway", requestTime: .seconds(25), logger: logger)
        let responder = GatewayResponder(
            endpoints: EndpointRoute(
                admits: setup.admits, authenticate: setup.authenticate,
                users: { _, _, caller in GatewayAnswer(json: Array(#"{"userRecordName":"\#(caller.userName)"}"#.utf8))
                },
                forwarder: forwarder, rates: rates, permits: setup.turns, errors: errors),
            signIn: setup.signIn, courier: setup.courier, documents: { _ in nil },
            proxies: TrustedProxies(setup.proxies), peers: PeerWatch(hasProxies: true, logger: logger),
            isSecure: setup.isSecure, rates: rates,
            bodies: RequestBodyReader(maxBytes: setup.maxBodyBytes, metrics: metrics), errors: errors,
            answerTime: setup.answerTime,
            metrics: metrics, logger: logger)
        return GatewayHTTPServer(
            host: "127.0.0.1", port: 0, tls: setup.tls, responder: responder,
            connections: ConnectionPolicy(
                permits: ConnectionPermits(
                    setup.maxConnections, perAddress: setup.maxConnections, proxies: [], metrics: connectionMetrics),
                stallLimit: setup.stallLimit, minBytesPerSecond: 0, metrics: connectionMetrics),
            limits: ConnectionLimits(
                maxBodyBytes: setup.maxBodyBytes, sendingTime: setup.sendingTime, memory: setup.memory),
            logger: logger)
    }

    /// Sends one request on a connection of its own and reads the answer.
    func ask(
        _ method: String, _ target: String, _ headers: [String: String] = [:], body: [UInt8] = []
    ) async throws -> HTTPReply {
        let conversation = try HTTPConversation(port: port)
        await conversation.send(Self.request(method, target, headers, body: body))
        return try await conversation.reply(isHead: method == "HEAD")
    }

    /// The bytes of a request.
    static func request(
        _ method: String, _ target: String, _ headers: [String: String] = [:], body: [UInt8] = []
    ) -> [UInt8] {
        var head = "\(method) \(target) HTTP/1.1\r\nHost: localhost\r\n"
        for (name, value) in headers { head += "\(name): \(value)\r\n" }
        if !body.isEmpty || method == "POST" { head += "Content-Length: \(body.count)\r\n" }
        return Array((head + "\r\n").utf8) + body
    }
}
