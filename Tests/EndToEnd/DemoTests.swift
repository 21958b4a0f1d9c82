import Foundation
import TestSupport
import Testing

extension EndToEndTests {
    /// The main job on real input: the machine's own package index goes through the queue and comes back by token.
    @Suite(.timeLimit(.minutes(3))) struct DemoTests {
        @Test func aSliceOfTheDebianPackageIndexComesBackAsItWent() async throws {
            try await ServiceStack.with { stack in
                try await stack.startService()
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
                #expect(demo.outputText.contains("records"))
            }
        }
    }
}
