import Crypto
import Foundation
import ServiceMessages
import TestSupport
import Testing

extension EndToEndTests {
    /// The gateway's answers agree with `deploy/docs/openapi.yaml`; see `Tests/Contract/gateway.py`.
    @Suite(.timeLimit(.minutes(10))) struct OpenAPIContractTests {
        @Test func answersAreAsDocumentedWhateverIsAsked() async throws {
            try await ServiceStack.with { stack in
                for name in [ServiceName.asset, .record, .subscription] { try await stack.startService(name) }
                // Schemathesis sends requests as fast as it can, and waits for each answer.
                var haste = Dictionary(
                    uniqueKeysWithValues: ["ADDRESS", "USER", "TOKEN"].map { ("ZONDA_RATE_\($0)_PER_SECOND", "0") })
                haste["ZONDA_COURIER_WAIT"] = "1s"
                try await stack.startService(.gateway, haste)
                guard
                    case .user(let apiToken, let webAuthToken) = try await GatewayClient.user(stack).credentials,
                    case .key(let keyID, let key) = try await GatewayClient.key(stack).credentials
                else { return }
                let settings = [
                    "ZONDA_URL": stack.gatewayURL, "ZONDA_CONTAINER": stack.container, "ZONDA_API_TOKEN": apiToken,
                    "ZONDA_WEB_AUTH_TOKEN": webAuthToken, "ZONDA_KEY_ID": keyID, "ZONDA_KEY": key.pemRepresentation,
                ]
                let check = try ChildProcess.ofRepository("Tests/Contract/check", ["gateway", "120"], settings)
                let exit = try await check.exit(within: .seconds(400))
                #expect(exit == .code(0), "\(check.outputText.suffix(20_000))\(check.errorText)")
            }
        }
    }
}
