import Foundation
import ServiceMessages
import TestSupport
import Testing

extension EndToEndTests {
    /// The main use case with real data. The machine's package index is saved through the queue and read back by token,
    /// its licence texts and icons become assets, and a watcher is notified.
    @Suite(.timeLimit(.minutes(3))) struct DemoTests {
        @Test func aSliceOfTheDebianPackageIndexComesBackAsItWent() async throws {
            try await ServiceStack.with { stack in
                for name in [ServiceName.asset, .record, .subscription] { try await stack.startService(name) }
                let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
                let demo = try ChildProcess.ofRepository(
                    "deploy/demo/debian", ["--limit", "300"],
                    stack.clientSettings.merging(["PATH": "\(stack.environment.binaries):\(path)"]) { $1 })
                let exit = try await demo.exit(within: .seconds(120))
                #expect(exit == .code(0), "\(demo.outputText)\(demo.errorText)")
                #expect(demo.outputText.contains("saved by deduplication"))
                #expect(demo.outputText.contains("records heard of 300 of 300"))
            }
        }
    }
}
