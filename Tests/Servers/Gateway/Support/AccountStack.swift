import AMQPClient
import CloudKitModel
import CloudKitWire
import Foundation
import GatewayTestSupport
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

/// The accounts in a new database, with a clock that advances only on request.
struct AccountStack: Sendable {
    /// The containers of the fake record service.
    static let containers: Set = ["iCloud.org.example.Notes", "iCloud.org.example.Other"]
    /// The first of them, in development.
    static let notes = ContainerPlace(container: "iCloud.org.example.Notes", environment: .development)
    /// Discards all messages.
    static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    let pool: PostgresPool
    let time: StandingClock
    let accounts: AccountStore
    let operations: OperatorOperations
    /// An authenticator whose cache is kept between requests.
    let authenticator: Authenticator

    /// Creates a database with the schema, runs `body` with a stack on it, and drops it.
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

    /// An authenticator whose cache is empty.
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

    /// Sends a request as an operator.
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

    /// Creates an API token of ``notes``.
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

    /// Creates an account with a user record name in ``notes``, and returns the name.
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

/// A clock that advances only on request.
final class StandingClock: Sendable {
    private let milliseconds = Mutex<Int64>(1_768_469_400_000)

    /// The time in milliseconds since 1970, at first 2026-01-15T09:30:00Z.
    var now: Int64 { milliseconds.withLock { $0 } }

    /// Advances the clock.
    func pass(_ duration: Duration) { milliseconds.withLock { $0 += duration.components.seconds * 1000 } }
}
