import ArgumentParser
import CloudKitModel
import CommandLineSession
import OperatorMessages

/// `zonda key revoke`.
struct KeyRevoke: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke",
        abstract: "Revoke a key of the container's environment; its signatures are refused after at most five seconds.",
        discussion: """
            EXAMPLE
              zonda key revoke 5d41402abc4b2a76b9719d911017c5925d41402abc4b2a76b9719d911017c592
            """)

    @OptionGroup var global: GlobalOptions

    @Argument(help: "The key's ID.")
    var id: String

    func run() async throws {
        let scope = try global.scope()
        let request = ServerKeyRevokeRequest(
            container: scope.container, environment: scope.environment.rawValue, keyID: id)
        try await global.show(answerTo: request) { AccountLine.revocation($0.keyID, wasActive: $0.revoked) }
    }
}
