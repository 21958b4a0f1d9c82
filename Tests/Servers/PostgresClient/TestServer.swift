import Dispatch
import Foundation
import Glibc
import Logging
import PostgresClient
import Synchronization

/// The PostgreSQL server the tests use, named by the environment.
enum TestServer {
    /// `ZONDA_TEST_POSTGRES_URL`: a superuser's URL.
    static let url = ProcessInfo.processInfo.environment["ZONDA_TEST_POSTGRES_URL"]
    static var isAvailable: Bool { url != nil }

    /// `ZONDA_TEST_SERVERS`: an executable that takes `stop postgres`, `start postgres` or `restart postgres` and returns
    /// when that is done.
    static let control = ProcessInfo.processInfo.environment["ZONDA_TEST_SERVERS"]
    static var isControllable: Bool { isAvailable && control != nil }

    /// Runs the executable and waits for its end.
    ///
    /// Not with Foundation's `Process`, which on Linux takes the end of every descendant for the end of the child: the
    /// server that was started would have to stop first.
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

    /// The server's URL with another database, and with further parameters.
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

/// Runs a pool for the length of the closure.
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

/// Makes a database, lends a running pool on it, and drops it.
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

/// Makes a database, gives its URL, and drops it.
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
    /// One statement on some connection.
    @discardableResult
    func query(_ statement: PostgresStatement, _ parameters: [PostgresParameter] = []) async throws -> PostgresResult {
        try await withConnection { try await $0.query(statement, parameters) }
    }

    /// A script on some connection.
    func execute(_ script: String) async throws { try await withConnection { try await $0.execute(script: script) } }

    /// Waits until the statement, which has one boolean column, gives true; the wait itself is the server's.
    func waitUntil(_ condition: String) async throws {
        while try await !query(PostgresStatement("select (\(condition)) from pg_sleep(0.01)", isPrepared: false))[0]
            .bool(0)
        {}
    }
}

/// A sign that one task gives and another waits for.
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

/// Something that has happened, to be asked from any task.
final class Flag: Sendable {
    private let state = Mutex(false)

    var isRaised: Bool { state.withLock { $0 } }

    func raise() { state.withLock { $0 = true } }
}
