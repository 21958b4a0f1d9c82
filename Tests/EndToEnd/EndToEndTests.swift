import CloudKitWire
import RequestServing
import ServiceMessages
import TestSupport
import Testing

/// Tests with the real programs, servers and messages. Each test or suite has its own database and virtual host.
@Suite(.enabled(if: TestEnvironment.current != nil, "\(TestEnvironment.absence)"))
enum EndToEndTests {
    /// Tests that stop a server that all tests share. They run one after the other, while no other tests run.
    @Suite(.serialized, .workingBroker) enum RestartTests {}
}

/// Provides a suite with a ``ServiceStack`` whose services all its tests share. The tests do not affect each other
/// because they act for different users. At the end, the services must not have logged an error.
struct SharedStack: SuiteTrait, TestScoping {
    /// The services, in the order in which they start.
    let services: [ServiceName]
    /// Settings that override those of each service.
    var settings: [String: String] = [:]

    @TaskLocal fileprivate static var stack: ServiceStack?

    /// Limits the number of stacks at a time. The scopes of all suites begin together, no matter how few tests run
    /// concurrently, and the database does not have enough connections for all their services.
    private static let stacks = AsyncSemaphore(permits: 4)

    /// The suite's stack.
    static var current: ServiceStack {
        get throws { try #require(stack, "the suite lacks the trait .sharedStack") }
    }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable @concurrent () async throws -> Void
    )
        async throws
    {
        try await Self.stacks.withPermit {
            try await ServiceStack.with { stack in
                var started: [ServiceProcess] = []
                for name in services {
                    started.append(
                        try await stack.startService(name, ["ZONDA_FAULTS": "true"].merging(settings) { $1 }))
                }
                let container = try await stack.client().ask(
                    .containersCreate, ["container": .string(stack.container)])
                try #require(container.status == 200)
                try await Self.$stack.withValue(stack) { try await function() }
                for service in started.reversed() {
                    service.terminate()
                    #expect(try await service.exit(within: .seconds(10)) == .code(0))
                    #expect(service.errors == [])
                }
            }
        }
    }
}

extension Trait where Self == SharedStack {
    /// Provides the suite with a record service that its tests share.
    static var sharedStack: SharedStack { SharedStack(services: [.record]) }
    /// Provides the suite with a record service with these settings that its tests share.
    static func sharedStack(_ settings: [String: String]) -> SharedStack {
        SharedStack(services: [.record], settings: settings)
    }
    /// Provides the suite with all services, which its tests share.
    static var sharedServices: SharedStack { SharedStack(services: [.asset, .record, .subscription]) }
}

extension ServiceProcess {
    /// The lines of the output that report an error or do not belong to the log.
    var errors: [String] {
        log.split(separator: "\n").filter { line in
            let level = (try? JSONValue(parsing: Array(line.utf8)))?["level"]?.string
            return level == nil || level == "error" || level == "critical"
        }.map(String.init)
    }

    /// The lines of the log.
    ///
    /// - Throws: an error if a line is not JSON.
    func logLines() throws -> [JSONValue] {
        // The last line may be incomplete.
        try log.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map {
            try JSONValue(parsing: Array($0.utf8))
        }
    }
}

/// Calls `body` repeatedly until it returns a value. For states of files and rows, whose changes are not signalled.
///
/// - Throws: the errors of `body`; ``TestFailure`` that names `what` after `limit`.
@discardableResult
func eventually<Value>(
    _ what: String, within limit: Duration = .seconds(20), _ body: () async throws -> Value?
) async throws -> Value {
    let clock = ContinuousClock()
    let deadline = clock.now + limit
    while clock.now < deadline {
        if let value = try await body() { return value }
        try await clock.sleep(for: .milliseconds(30))
    }
    throw TestFailure("waited \(limit) in vain: \(what)")
}
