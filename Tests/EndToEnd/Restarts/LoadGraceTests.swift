import CloudKitWire
import Foundation
import ServiceMessages
import TestSupport
import Testing

extension EndToEndTests.RestartTests {
    /// `zonda load` while the broker becomes unavailable and remains so.
    @Suite(.timeLimit(.minutes(3))) struct LoadGraceTests {
        @Test func everyLoadEndsAndReportsWhatIsOutstanding() async throws {
            try await ServiceStack.with { stack in
                for service in [ServiceName.asset, .record, .subscription] { try await stack.startService(service) }
                var loads: [(kind: String, process: ChildProcess)] = []
                for kind in ["records", "assets", "subscriptions"] {
                    loads.append((kind, try await Self.begin(kind, stack)))
                }
                try await stack.environment.control("stop", "rabbitmq")
                do {
                    for (kind, process) in loads { try await Self.expectTheEnd(of: process, kind) }
                } catch {
                    try await stack.environment.control("start", "rabbitmq")
                    throw error
                }
                try await stack.environment.control("start", "rabbitmq")
            }
        }

        /// Starts a load that lasts longer than the broker is available, and waits until it writes.
        private static func begin(_ kind: String, _ stack: ServiceStack) async throws -> ChildProcess {
            let client = stack.client()
            let user = "*.*.development.private.\(client.user).*"
            return try await TestQueue.withBinding(
                to: Exchange.changes, user, try stack.vhost.configuration()
            ) { box in
                let process = try stack.zonda(
                    [
                        "load", kind, "--producers", "2", "--duration", "15s", "--grace", "2s", "--json",
                    ] + (kind == "subscriptions" ? [] : ["--verify"]), as: client)
                do {
                    _ = try await box.first("\(kind) writes", within: .seconds(30))
                } catch {
                    throw TestFailure("\(kind): \(error) \(process.errorText)")
                }
                return process
            }
        }

        private static func expectTheEnd(of process: ChildProcess, _ kind: String) async throws {
            // The limit covers the rest of the duration, the grace period, and some time to write the report.
            let exit = try await process.exit(within: .seconds(40))
            #expect(exit == .code(1), "\(kind): \(process.errorText)")
            let report = try JSONValue(parsing: Array(process.outputText.utf8))
            #expect(report["outstanding"]?.int ?? 0 > 0, "\(kind): \(process.outputText)")
        }
    }
}
