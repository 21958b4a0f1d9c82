import CloudKitWire
import Foundation
import ServiceMessages
import TestSupport
import Testing

extension EndToEndTests {
    /// `zonda load records --gateway`, a load over HTTP. A gateway may stop and start during the load, as a service
    /// may.
    @Suite(.timeLimit(.minutes(2))) struct GatewayLoadTests {
        @Test func aKilledGatewayLosesNothing() async throws {
            try await ServiceStack.with { stack in
                try await stack.startService(.record)
                let gateway = try await stack.startService(.gateway)
                let user = try await GatewayClient.user(stack)
                guard case .user(let apiToken, let webAuthToken) = user.credentials else {
                    throw TestFailure("no user")
                }
                let key = "*.*.development.private.\(user.userName).http-0"
                let load = try await TestQueue.withBinding(
                    to: Exchange.changes, key, try stack.vhost.configuration()
                ) { box in
                    let load = try ChildProcess(
                        "\(stack.environment.binaries)/zonda",
                        [
                            "load", "records", "--gateway", stack.gatewayURL, "--producers", "2", "--in-flight", "4",
                            "--zones", "10", "--zone-prefix", "http", "--rate", "100", "--duration", "5s", "--verify",
                            "--json",
                        ],
                        environment: ProcessInfo.processInfo.environment.merging([
                            "ZONDA_CONTAINER": stack.container, "ZONDA_API_TOKEN": apiToken,
                            "ZONDA_WEB_AUTH_TOKEN": webAuthToken, "ZONDA_DATABASE": "private",
                        ]) { $1 })
                    _ = try await box.first("the load writes", within: .seconds(30))
                    gateway.kill()
                    _ = try await gateway.exit(within: .seconds(10))
                    try await stack.startService(.gateway)
                    return load
                }
                let exit = try await load.exit(within: .seconds(60))
                #expect(exit == .code(0), "\(load.errorText)")
                let report = try JSONValue(parsing: Array(load.outputText.utf8))
                #expect(report["missing"] == 0 && report["stale"] == 0 && report["repeated"] == 0, "\(load.outputText)")
                #expect(report["failed"] == 0 && report["outstanding"] == 0, "\(load.outputText)")
                #expect(report["acknowledged"]?.int ?? 0 > 100)
                #expect(report["retried"]?.int ?? 0 > 0)
            }
        }
    }
}
