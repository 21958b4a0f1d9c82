import CloudKitWire
import RequestServing
import ServiceMessages
import TestSupport
import Testing

/// The real programs, servers and messages. Each test or suite has a database and a virtual host of its own.
@Suite(.enabled(if: TestEnvironment.current != nil, "\(TestEnvironment.absence)"))
enum EndToEndTests {
    /// Those that stop a server that all share: one after the other, when no others run.
    @Suite(.serialized, .workingBroker) enum RestartTests {}
}

/// Gives a suite a ``ServiceStack`` with services that all its tests share. The tests keep apart by acting for users of
/// their own. At the end the services must have logged no error.
struct SharedStack: SuiteTrait, TestScoping {
    /// In the order in which they start.
    let services: [ServiceName]
    /// Laid over each service's own.
    var settings: [String: String] = [:]

    @TaskLocal fileprivate static var stack: ServiceStack?

    /// The scopes of all suites begin together, however few tests run at once: their services would not all find a
    /// connection to the database.
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
    /// Gives the suite a record service that its tests share.
    static var sharedStack: SharedStack { SharedStack(services: [.record]) }
    /// Gives the suite a record service of those settings that its tests share.
    static func sharedStack(_ settings: [String: String]) -> SharedStack {
        SharedStack(services: [.record], settings: settings)
    }
    /// Gives the suite all services, which its tests share.
    static var sharedServices: SharedStack { SharedStack(services: [.asset, .record, .subscription]) }
}

extension ServiceProcess {
    /// The lines of the log that tell of an error, or are none of the log's.
    var errors: [String] {
        log.split(separator: "\n").filter { line in
            let level = (try? JSONValue(parsing: Array(line.utf8)))?["level"]?.string
            return level == nil || level == "error" || level == "critical"
        }.map(String.init)
    }

    /// The lines of the log.
    ///
    /// - Throws: when one is not JSON.
    func logLines() throws -> [JSONValue] {
        // The last may be half written.
        try log.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map {
            try JSONValue(parsing: Array($0.utf8))
        }
    }
}

/// Asks again and again until `body` gives something, for states of files and rows that nobody announces.
///
/// - Throws: what `body` throws; ``TestFailure`` naming `what` after `limit`.
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
