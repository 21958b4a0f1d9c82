package import AMQPClient
internal import CloudKitModel
internal import Foundation
package import HTTPServing
internal import HTTPTypes
package import Hummingbird
internal import Logging
package import NIOCore
package import NIOSSL
internal import RequestServing
internal import ServiceMessages
internal import ServiceRuntime
package import Synchronization
package import TestSupport

@testable package import Gateway

/// The gateway's HTTP server on a free port, with a caller and services that the test defines.
package struct GatewayFront: Sendable {
    /// The services behind the gateway: the messages that they received, and their answers.
    package final class Services: Sendable {
        private let messages = Mutex<[AMQPMessage]>([])
        /// The messages in the order of their arrival.
        package var asked: [AMQPMessage] { messages.withLock { $0 } }
        /// Answers the messages that follow.
        package let answer: Mutex<@Sendable (AMQPMessage) async throws -> (status: Int64, body: String)>

        package init() { answer = Mutex { _ in (200, #"{"records":[]}"#) } }

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

    /// The settings of the server, and its parts that tests replace.
    package struct Setup: Sendable {
        package init() {}

        package var rates = RateLimits.Rates()
        package var maxBodyBytes = 1 << 20
        package var memory = FairBudget(8 << 20)
        package var maxConnections = 100
        package var stallLimit = Duration.seconds(20)
        package var sendingTime = Duration.seconds(20)
        package var permits = FairBudget(100)
        package var isSecure = false
        package var admits: @Sendable (GatewayRequest, WebEndpointPath) async throws -> Void = { _, _ in }
        package var answerTime = Duration.seconds(27)
        package var proxies: [AddressRange] = []
        package var tls: TLSConfiguration?
        package var authenticate: @Sendable (GatewayRequest, WebEndpointPath) async throws -> Caller = { _, _ in
            Caller(kind: .user(account: 1), userName: GatewayFront.user, apiToken: "t", renewedToken: "fresh")
        }
        package var email: @Sendable (Caller) async throws -> String? = { _ in "ada@example.org" }
        package var signIn: @Sendable (GatewayRequest) async throws -> GatewayAnswer = { _ in
            GatewayAnswer(contentType: "text/html", Array(repeating: UInt8(ascii: "x"), count: 5000))
        }
        package var link: @Sendable (GatewayRequest) async throws -> GatewayAnswer = { _ in
            GatewayAnswer(contentType: "text/html", [])
        }
        package var courier: @Sendable (Request, QueryParameters, any Channel) async throws -> Response = { _, _, _ in
            Response(status: .ok)
        }
    }

    package static let user = "_0123456789abcdef0123456789abcdef"
    package static let modify = "/database/1/com.example/development/private/records/modify"

    package let port: Int
    package let services: Services

    /// Runs a server while `body` runs.
    package static func with(_ setup: Setup = Setup(), _ body: (GatewayFront) async throws -> Void) async throws {
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

    /// Creates a server on a free port.
    package static func server(_ setup: Setup, _ services: Services) -> GatewayHTTPServer {
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
                email: setup.email, forwarder: forwarder, rates: rates, permits: setup.permits, errors: errors),
            signIn: setup.signIn, link: setup.link, courier: setup.courier, documents: { _ in nil },
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

    /// Sends one request on a new connection and reads the answer.
    package func ask(
        _ method: String, _ target: String, _ headers: [String: String] = [:], body: [UInt8] = []
    ) async throws -> HTTPReply {
        let conversation = try HTTPConversation(port: port)
        await conversation.send(Self.request(method, target, headers, body: body))
        return try await conversation.reply(isHead: method == "HEAD")
    }

    /// Returns the bytes of a request.
    package static func request(
        _ method: String, _ target: String, _ headers: [String: String] = [:], body: [UInt8] = []
    ) -> [UInt8] {
        var head = "\(method) \(target) HTTP/1.1\r\nHost: localhost\r\n"
        for (name, value) in headers { head += "\(name): \(value)\r\n" }
        if !body.isEmpty || method == "POST" { head += "Content-Length: \(body.count)\r\n" }
        return Array((head + "\r\n").utf8) + body
    }
}
