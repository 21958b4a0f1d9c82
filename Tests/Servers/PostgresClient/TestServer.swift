import Dispatch
import Foundation
import Glibc
import Logging
import PostgresClient
import Synchronization

/// The PostgreSQL server of the tests, which the environment names.
enum TestServer {
    /// `ZONDA_TEST_POSTGRES_URL`: a superuser's URL.
    static let url = ProcessInfo.processInfo.environment["ZONDA_TEST_POSTGRES_URL"]
    static var isAvailable: Bool { url != nil }

    /// `ZONDA_TEST_SERVERS`: an executable that executes `stop postgres`, `start postgres` or `restart postgres` and
    /// exits when this is done.
    static let control = ProcessInfo.processInfo.environment["ZONDA_TEST_SERVERS"]
    static var isControllable: Bool { isAvailable && control != nil }

    /// Runs the executable and waits for its end.
    ///
    /// Does not use Foundation's `Process`, which on Linux waits for the end of every descendant, including the started
    /// server.
    static func control(_ verb: String) async throws {
        guard let control else { throw NotAvailable() }
        let status = await withCheckedContinuation { (done: CheckedContinuation<Int32, Never>) in
            DispatchQueue.global().async {
                var arguments = [strdup(control), strdup(verb), strdup("postgres"), nil]
                defer {
                    for argument in arguments { free(argument) }
                }
                var process: pid_t = 0
                var status: Int32 = -1
                if posix_spawn(&process, control, nil, nil, &arguments, environ) == 0 {
                    while waitpid(process, &status, 0) < 0, errno == EINTR {}
                }
                done.resume(returning: status)
            }
        }
        guard status == 0 else { throw NotAvailable() }
    }

    struct NotAvailable: Error {}

    /// Returns the server's URL with another database and with additional parameters.
    static func url(database: String, parameters: [String: String] = [:]) throws -> String {
        guard let url, var components = URLComponents(string: url) else { throw NotAvailable() }
        components.path = "/\(database)"
        let items = parameters.map { URLQueryItem(name: $0.key, value: $0.value) }
        if !items.isEmpty { components.queryItems = (components.queryItems ?? []) + items }
        guard let changed = components.string else { throw NotAvailable() }
        return changed
    }
}

let testLogger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

/// Runs a pool while the closure runs.
func withPool<T: Sendable>(
    _ configuration: PostgresConfiguration, _ body: (PostgresPool) async throws -> T
) async throws -> T {
    let pool = PostgresPool(configuration: configuration, logger: testLogger)
    return try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await pool.run() }
        defer { group.cancelAll() }
        return try await body(pool)
    }
}

/// Creates a database, passes a running pool for it to `body`, and drops it.
func withDatabase<T: Sendable>(
    _ change: (inout PostgresConfiguration) -> Void = { _ in },
    _ body: (PostgresPool) async throws -> T
) async throws -> T {
    try await withDatabaseURL { url in
        var configuration = PostgresConfiguration(url: url)
        change(&configuration)
        return try await withPool(configuration, body)
    }
}

/// Creates a database, passes its URL to `body`, and drops it.
func withDatabaseURL<T: Sendable>(_ body: (String) async throws -> T) async throws -> T {
    guard let server = TestServer.url else { throw TestServer.NotAvailable() }
    let name = "zonda_test_\(UUID().uuidString.lowercased().prefix(13).replacingOccurrences(of: "-", with: ""))"
    return try await withPool(PostgresConfiguration(url: server)) { admin in
        try await admin.withConnection { try await $0.execute(script: "create database \(name)") }
        let result: Result<T, any Error>
        do {
            result = .success(try await body(TestServer.url(database: name)))
        } catch {
            result = .failure(error)
        }
        try await admin.withConnection { try await $0.execute(script: "drop database \(name) with (force)") }
        return try result.get()
    }
}

extension PostgresPool {
    /// Executes one statement on a connection of the pool.
    @discardableResult
    func query(_ statement: PostgresStatement, _ parameters: [PostgresParameter] = []) async throws -> PostgresResult {
        try await withConnection { try await $0.query(statement, parameters) }
    }

    /// Executes a script on a connection of the pool.
    func execute(_ script: String) async throws { try await withConnection { try await $0.execute(script: script) } }

    /// Waits until the statement, which has one Boolean column, returns true. The server does the waiting.
    func waitUntil(_ condition: String) async throws {
        while try await !query(PostgresStatement("select (\(condition)) from pg_sleep(0.01)", isPrepared: false))[0]
            .bool(0)
        {}
    }
}

/// A signal that one task sends and another task waits for.
final class Signal: Sendable {
    private let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() {
        (stream, continuation) = AsyncStream.makeStream()
    }

    func give() { continuation.finish() }

    func wait() async {
        for await _ in stream {}
    }
}

/// A flag that any task can set and read.
final class Flag: Sendable {
    private let state = Mutex(false)

    var isRaised: Bool { state.withLock { $0 } }

    func raise() { state.withLock { $0 = true } }
}
