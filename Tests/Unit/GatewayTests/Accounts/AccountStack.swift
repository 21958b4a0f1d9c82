import AMQPClient
import CloudKitModel
import CloudKitWire
import Foundation
import HTTPTypes
import Logging
import PostgresClient
import RequestServing
import ServiceMessages
import ServiceRuntime
import SignedTokens
import Synchronization
import TestSupport

@testable import Gateway
@testable import GatewayStorage

/// The accounts over a database of their own, by a clock that stands still.
struct AccountStack: Sendable {
    /// Containers that the fake record service has.
    static let containers: Set = ["iCloud.org.example.Notes", "iCloud.org.example.Other"]
    /// The first of them, in development.
    static let notes = ContainerPlace(container: "iCloud.org.example.Notes", environment: .development)
    /// Says nothing.
    static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    let pool: PostgresPool
    let time: StandingClock
    let accounts: AccountStore
    let operations: OperatorOperations
    /// Remembers for a while what it has found.
    let authenticator: Authenticator

    /// Makes a database with the schema, lends a stack on it, and drops it.
    static func with(_ body: (AccountStack) async throws -> Void) async throws {
        let database = try await TestDatabase.make(in: try TestEnvironment.required())
        do {
            var configuration = PostgresConfiguration(url: database.url)
            configuration.parameters = HostConfiguration.sessionParameters
            let pool = PostgresPool(configuration: configuration, logger: logger)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await pool.run() }
                defer { group.cancelAll() }
                _ = try await AccountMigrations.migrator.apply(on: pool, logger: logger)
                try await TimePartitions.account(pool: pool, logger: logger).runOnce()
                try await body(AccountStack(pool))
            }
        } catch {
            try? await database.drop()
            throw error
        }
        try await database.drop()
    }

    private init(_ pool: PostgresPool) {
        let time = StandingClock()
        self.pool = pool
        self.time = time
        accounts = AccountStore(
            pool: pool, keys: deploymentKeys(for: .webAuthToken), now: { time.now })
        operations = OperatorOperations(
            accounts: accounts, passwordCost: 10, ledger: RequestLedger(pool: pool, table: .account),
            containers: ContainerCheck { message, _ throws(AMQPError) in Self.recordService(message) },
            retry: DatabaseRetry(logger: Self.logger, metrics: RequestMetrics(ServiceMetrics())))
        authenticator = Authenticator(
            accounts: accounts,
            signIn: SignInLink(publicURL: "https://zonda.example.org", keys: deploymentKeys(for: .signIn)),
            logger: Self.logger)
    }

    /// An authenticator that has found nothing yet.
    var freshAuthenticator: Authenticator {
        Authenticator(accounts: accounts, signIn: authenticator.signIn, logger: Self.logger)
    }

    private static func recordService(_ message: AMQPMessage) -> AMQPDelivery {
        let container = message.properties.headers.string(Header.container) ?? ""
        let answer =
            containers.contains(container)
            ? Answer { writer in
                writer.key("zones")
                writer.array([Int]()) { _, _ in }
            } : Answer(error: .badContainer(container), requestID: "test")
        return AMQPDelivery(
            queue: "", deliveryTag: 1,
            properties: AMQPProperties(headers: [Header.status: .int64(Int64(answer.status))]), body: answer.body)
    }

    /// Asks as an operator.
    @discardableResult
    func ask(
        _ operation: ServiceMessages.Operation, _ body: JSONValue = [:], messageID: String = UUID().uuidString
    ) async throws -> JSONValue {
        let properties = AMQPProperties(messageID: messageID)
        let request = OpenedRequest(
            delivery: AMQPDelivery(queue: "", deliveryTag: 1, properties: properties, body: body.encoded()),
            operation: operation, context: try RequestContext(properties, operation: operation))
        guard let answer = await operations.answer(request) else { throw TestFailure("no answer") }
        return try JSONValue(parsing: answer.body)
    }

    /// Makes an API token of ``notes``.
    func makeAPIToken(origins: JSONValue = []) async throws -> String {
        let answer = try await ask(
            .apiTokensCreate,
            [
                "container": .string(Self.notes.container), "environment": "development", "name": "web",
                "origins": origins,
            ])
        guard let token = answer["token"]?.string else { throw TestFailure("no token: \(answer)") }
        return token
    }

    /// Makes an account with a name in ``notes``, and returns the name.
    @discardableResult
    func makeUser(_ email: String) async throws -> String {
        let answer = try await ask(
            .usersCreate, ["email": .string(email), "container": .string(Self.notes.container)])
        guard let name = answer["userRecordName"]?.string else { throw TestFailure("no user: \(answer)") }
        return name
    }

    /// Signs an account in to ``notes``, and returns the web auth token.
    func signIn(_ email: String, staysSignedIn: Bool = false) async throws -> String {
        let answer = try await ask(
            .usersToken,
            [
                "email": .string(email), "container": .string(Self.notes.container), "environment": "development",
                "staysSignedIn": .bool(staysSignedIn),
            ])
        guard let token = answer["webAuthToken"]?.string else { throw TestFailure("no token: \(answer)") }
        return token
    }
}

/// A clock that goes on when it is told to.
final class StandingClock: Sendable {
    private let milliseconds = Mutex<Int64>(1_768_469_400_000)

    /// Milliseconds since 1970: 2026-01-15T09:30:00Z in the beginning.
    var now: Int64 { milliseconds.withLock { $0 } }

    /// Lets time pass.
    func pass(_ duration: Duration) { milliseconds.withLock { $0 += duration.components.seconds * 1000 } }
}

/// The keys of a deployment with these secrets, the first of which signs.
func deploymentKeys(_ ids: String..., for purpose: SigningKeys.Purpose) -> SigningKeys {
    let lines = (ids.isEmpty ? ["k1"] : ids).map { "\($0):\(String(repeating: "5a", count: 32))" }
    do {
        return try SigningKeys(parsing: lines.joined(separator: "\n"), for: purpose)
    } catch {
        preconditionFailure("\(error)")
    }
}

extension GatewayRequest {
    /// A request as the front has read it.
    static func sent(
        _ target: String, method: HTTPRequest.Method = .post, headers: HTTPFields = [:], body: String = ""
    ) -> GatewayRequest {
        let parts = target.split(separator: "?", maxSplits: 1).map(String.init)
        return GatewayRequest(
            method: method, target: target, path: parts[0], query: QueryParameters(parts.count == 2 ? parts[1] : ""),
            headers: headers, body: Array(body.utf8), address: "127.0.0.1", requestID: "test", trace: nil)
    }
}

extension HTTPFields {
    /// The headers of a server-to-server signature.
    static func signature(keyID: String?, date: String?, signature: String?) -> HTTPFields {
        var fields = HTTPFields()
        for (name, value) in [("KeyID", keyID), ("ISO8601Date", date), ("SignatureV1", signature)] {
            if let value, let name = HTTPField.Name("X-Apple-CloudKit-Request-\(name)") { fields[name] = value }
        }
        return fields
    }
}
