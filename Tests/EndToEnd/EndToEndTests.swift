import CloudKitWire
import ServiceMessages
import TestSupport
import Testing

/// The real programs, servers and messages. One test after the other: some stop a server that all share.
@Suite(.serialized, .enabled(if: TestEnvironment.current != nil, "\(TestEnvironment.absence)"))
enum EndToEndTests {}

/// Gives a suite a ``RecordStack`` with one record service that all its tests share. The tests keep apart by acting for
/// users of their own. At the end the service must have logged no error.
struct SharedStack: SuiteTrait, TestScoping {
    @TaskLocal fileprivate static var stack: RecordStack?

    /// The suite's stack.
    static var current: RecordStack {
        get throws { try #require(stack, "the suite lacks the trait .sharedStack") }
    }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable @concurrent () async throws -> Void
    )
        async throws
    {
        try await RecordStack.with { stack in
            let service = try await stack.startService()
            let container = try await stack.client().ask(
                .containersCreate, ["container": .string(stack.container)])
            try #require(container.status == 200)
            try await Self.$stack.withValue(stack) { try await function() }
            service.terminate()
            #expect(try await service.exit(within: .seconds(10)) == .code(0))
            #expect(service.errors == [])
        }
    }
}

extension Trait where Self == SharedStack {
    /// Gives the suite a record service that its tests share.
    static var sharedStack: SharedStack { SharedStack() }
}

extension ServiceProcess {
    /// The lines of the log that tell of an error: their second word is the level.
    var errors: [Substring] {
        log.split(separator: "\n").filter { line in
            let level = line.split(separator: " ").dropFirst().first
            return level == "error" || level == "critical" || line.contains("Fatal error")
        }
    }
}
