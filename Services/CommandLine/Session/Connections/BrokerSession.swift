package import AMQPClient
import CloudKitModel
import FoundationEssentials
package import Logging
import ServiceMessages

/// Sends requests to services over one broker connection.
package struct BrokerSession: Requester {
    private let client: AMQPRPCClient
    /// The broker user, to which the rules for producers apply.
    private let user: String
    private let headers: AMQPTable
    private let policy: RetryPolicy

    /// The maximum wait for the first connection. Reconnection attempts are limited only by the requests' time limits.
    package static let connectLimit: Duration = .seconds(10)

    /// Connects to the broker at `url`, calls `body` with the session, and disconnects.
    ///
    /// - Parameters:
    ///   - scope: the scope that the headers of every request specify.
    ///   - maxInFlight: the maximum number of requests in progress.
    /// - Throws: ``RequestFailure`` for an invalid URL or an unreachable broker, and any error that `body` throws.
    package static func with<Result: Sendable>(
        url: String, scope: RequestScope, maxInFlight: Int = 16, policy: RetryPolicy = RetryPolicy(),
        _ body: (BrokerSession) async throws -> Result
    ) async throws -> Result {
        let configuration = try configuration(url: url)
        let client = AMQPRPCClient(
            configuration: configuration, maxInFlight: maxInFlight, logger: Logger.commandLine)
        let session = BrokerSession(
            client: client, user: configuration.user, headers: headers(of: scope), policy: policy)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await client.run() }
            defer { group.cancelAll() }
            _ = try await connected { () async throws(AMQPError) in
                try await client.waitUntilConnected(timeout: connectLimit)
            }
            return try await body(session)
        }
    }

    /// Returns a session that uses the same connection for another user or database.
    package func acting(in scope: RequestScope) -> BrokerSession {
        BrokerSession(client: client, user: user, headers: Self.headers(of: scope), policy: policy)
    }

    package func ask(_ request: Request, limit: Duration) async throws(RequestFailure) -> Answer {
        let message = message(request, limit: limit)
        return try await policy.answer(within: limit) { attempts, remaining throws(RequestFailure) in
            do throws(AMQPError) {
                let delivery = try await client.call(message, timeout: min(policy.attemptLimit, remaining))
                let status = delivery.properties.headers.int64(Header.status) ?? 200
                return .answered(Answer(status: Int(status), body: delivery.body, attempts: attempts))
            } catch {
                guard error.isWorthRepeating else { throw .unanswered(reason: error.message) }
                return .silence(
                    reason: error.message
                        + (error.isUnrouted
                            ? "; services declare their queues when they start: has any service been started?" : ""))
            }
        }
    }

    private func message(_ request: Request, limit: Duration) -> AMQPMessage {
        let now = Date().timeIntervalSince1970
        var headers = headers
        headers[Header.deadline] = .int64(Int64(now * 1000) + Int64(limit.seconds * 1000))
        headers[Header.requestID] = .string(request.messageID)
        return AMQPMessage(
            exchange: request.operation.exchange, routingKey: request.operation.rawValue,
            properties: AMQPProperties(
                messageID: request.messageID, contentType: request.contentType, userID: user, timestamp: UInt64(now),
                headers: headers),
            body: request.body)
    }

    /// Returns the configuration of a connection to the broker at `url`.
    ///
    /// - Throws: `.unanswered` for an invalid URL.
    package static func configuration(url: String) throws(RequestFailure) -> AMQPConfiguration {
        do {
            return try AMQPConfiguration(url: url)
        } catch {
            throw .unanswered(reason: error.message)
        }
    }

    /// Calls `wait`, which returns when a connection is established.
    ///
    /// - Throws: `.unanswered` with the text of `wait`'s error.
    package static func connected<Result>(
        _ wait: () async throws(AMQPError) -> Result
    ) async throws(RequestFailure) -> Result {
        do throws(AMQPError) {
            return try await wait()
        } catch {
            throw .unanswered(reason: error.message)
        }
    }

    private static func headers(of scope: RequestScope) -> AMQPTable {
        var headers: AMQPTable = [Header.version: 1]
        if !scope.container.isEmpty {
            headers[Header.container] = .string(scope.container)
            headers[Header.environment] = .string(scope.environment.rawValue)
            headers[Header.database] = .string(scope.database.wireName)
        }
        if let user = scope.user { headers[Header.user] = .string(user) }
        return headers
    }
}

extension AMQPError {
    /// Whether the same request might succeed later.
    fileprivate var isWorthRepeating: Bool {
        switch code {
        case .refused, .closed, .cancelled: false
        default: true
        }
    }
}

extension AMQPError {
    /// Whether the broker has no exchange or queue for the request. Services declare them when they start.
    fileprivate var isUnrouted: Bool { code == .returned || replyCode == 404 }
}

extension Logger {
    /// The logger of the command line, which writes to standard error. It logs only problems that are not reported by a
    /// thrown error.
    package static var commandLine: Logger {
        var logger = Logger(label: "zonda") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = .critical
        return logger
    }
}
