import Foundation
import ServiceMessages
import TestSupport
import Testing

extension EndToEndTests {
    /// The main job on real input: the machine's own package index goes through the queue and comes back by token, its
    /// licence texts and icons become assets, and a watcher hears of them.
    @Suite(.timeLimit(.minutes(3))) struct DemoTests {
        @Test func aSliceOfTheDebianPackageIndexComesBackAsItWent() async throws {
            try await ServiceStack.with { stack in
                for name in [ServiceName.asset, .record, .subscription] { try await stack.startService(name) }
                let repository = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
                let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
                let settings = [
                    "ZONDA_AMQP_URL": stack.vhost.url, "ZONDA_CONTAINER": stack.container,
                    "ZONDA_ENVIRONMENT": "development", "ZONDA_DATABASE": "private",
                    "ZONDA_USER": stack.client().user, "PATH": "\(stack.environment.binaries):\(path)",
                ]
                let demo = try ChildProcess(
                    repository.appending(path: "deploy/demo/debian").standardized.path, ["--limit", "300"],
                    environment: ProcessInfo.processInfo.environment.merging(settings) { $1 })
                let exit = try await demo.exit(within: .seconds(120))
                #expect(exit == .code(0), "\(demo.outputText)\(demo.errorText)")
                #expect(demo.outputText.contains("saved by deduplication"))
                #expect(demo.outputText.contains("records heard of 300 of 300"))
            }
        }
    }
}
