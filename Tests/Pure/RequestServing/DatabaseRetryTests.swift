import CloudKitModel
import Logging
import PostgresClient
import RequestServing
import ServiceRuntime
import Synchronization
import Testing

struct DatabaseRetryTests {
    static let retry = DatabaseRetry(
        logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, metrics: RequestMetrics(ServiceMetrics()))

    static func server(_ state: String) -> PostgresError {
        PostgresError(.server, sqlState: SQLState(rawValue: state), message: "")
    }

    @Test(arguments: ["40P01", "40001", "53100", "53200", "57014", "57P01", "58030", "25006", "55P03"])
    func errorsOfAnUnavailableDatabaseAreRetried(state: String) async throws {
        let attempts = Mutex(0)
        let answer = try await Self.retry.run(deadline: nil) {
            let attempt = attempts.withLock { attempts in
                attempts += 1
                return attempts
            }
            if attempt < 3 { throw Self.server(state) }
            return "done"
        }
        #expect(answer == "done")
    }

    @Test func aConnectionThatClosesDuringARequestIsReplaced() async throws {
        let attempts = Mutex(0)
        try await Self.retry.run(deadline: nil) {
            let attempt = attempts.withLock { attempts in
                attempts += 1
                return attempts
            }
            if attempt == 1 { throw PostgresError(.closed, message: "") }
        }
        #expect(attempts.withLock { $0 } == 2)
    }

    @Test func nothingIsAnsweredWhileTheServiceStops() async {
        let ending = Task {
            while !Task.isCancelled { await Task.yield() }
            try await Self.retry.run(deadline: nil) { throw PostgresError(.cancelled, message: "") }
        }
        ending.cancel()
        await #expect(throws: ServiceStopping.self) { try await ending.value }
    }

    @Test func aDefectIsAnInternalErrorAtOnce() async {
        let error = await #expect(throws: ServerError.self) {
            try await Self.retry.run(deadline: nil) { throw Self.server("42601") }
        }
        #expect(error?.code == .internalError)
    }

    @Test func retriesEndAtTheDeadline() async {
        let error = await #expect(throws: ServerError.self) {
            try await Self.retry.run(deadline: SystemClock.milliseconds() + 50) { throw Self.server("53100") }
        }
        #expect(error?.code == .tryAgainLater)
        #expect(error?.retryAfter != nil)
    }
}
