import ArgumentParser
import CloudKitWire
import CommandLineSession
import Foundation
import ServiceMessages

/// `zonda key revoke`.
struct KeyRevoke: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke",
        abstract: "Revoke a key of the container's environment; its signatures are refused within five seconds.",
        discussion: """
            EXAMPLE
              zonda key revoke 5d41402abc4b2a76b9719d911017c5925d41402abc4b2a76b9719d911017c592
            """)

    @OptionGroup var global: GlobalOptions

    @Argument(help: "The key's ID.")
    var id: String

    func run() async throws {
        let body = JSONValue.object(having: try global.scope().place + [("keyID", .string(id))])
        try await global.withSession(isScoped: false) { session in
            let answer = try await session.ask(.serverKeysRevoke, body, limit: .requestLimit)
            _ = global.show(answer) { AccountLine.revocation($0, id: "keyID") }
        }
    }
}
