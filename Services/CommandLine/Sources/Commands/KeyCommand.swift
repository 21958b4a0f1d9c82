import ArgumentParser
import CloudKitWire
import CommandLineSession
import Foundation
import ServiceMessages

/// `zonda key …`: an operator's commands.
struct KeyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "key",
        abstract: "Register, list and revoke a container's server-to-server keys.",
        discussion: """
            Who has the private half signs requests to the container's public database, and acts there as a user of its \
            own. Make one so:

              openssl ecparam -name prime256v1 -genkey -noout -out key.pem
              openssl ec -in key.pem -pubout -out key.pub.pem
            """,
        subcommands: [Add.self, List.self, Revoke.self])
}

extension KeyCommand {
    /// `zonda key add`.
    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Register the public half of a key for the container's environment.",
            discussion: """
                Printed is its ID, which goes into the header X-Apple-CloudKit-Request-KeyID, and the user record name \
                as which it acts.

                EXAMPLE
                  zonda key add key.pub.pem --name importer
                """)

        @OptionGroup var global: GlobalOptions

        @Argument(help: "The file, PEM (-----BEGIN PUBLIC KEY-----); - is standard input.")
        var file: String

        @Option(help: "What it is called in lists. Default: the file's name.")
        var name: String?

        func run() async throws {
            let body = JSONValue.object(
                having: try global.scope().place + [
                    ("name", .string(shownName)), ("publicKey", .string(try await pem())),
                ])
            try await global.withSession(isScoped: false) { session in
                let answer = try await session.ask(.serverKeysAdd, body, limit: GlobalOptions.requestLimit)
                _ = global.show(answer, line: AccountLine.key)
            }
        }

        private var shownName: String {
            name ?? (file == "-" ? "key" : URL(filePath: file).lastPathComponent)
        }

        /// The file's text. A private key is not sent anywhere.
        ///
        /// - Throws: a `ValidationError`.
        private func pem() async throws -> String {
            let bytes: Data?
            if file == "-" {
                bytes = try? FileHandle.standardInput.readToEnd()
            } else {
                bytes = FileManager.default.contents(atPath: file)
            }
            guard let bytes else { throw ValidationError("\(file) cannot be read") }
            let text = String(decoding: bytes, as: UTF8.self)
            guard !text.contains("PRIVATE KEY") else {
                throw ValidationError("\(file) has a private key: give the public one (openssl ec -in \(file) -pubout)")
            }
            return text
        }
    }

    /// `zonda key list`.
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the server-to-server keys of the container's environment.",
            discussion: """
                EXAMPLES
                  zonda key list --environment production
                  zonda key list --all --json
                """)

        @OptionGroup var global: GlobalOptions

        @Flag(help: "Those of all containers.")
        var all = false

        func run() async throws {
            let filter = try global.filter(all: all)
            try await global.withSession(isScoped: false) { session in
                try await session.pages(.serverKeysList, "serverKeys", filter: filter) {
                    _ = global.show($0, line: AccountLine.key)
                }
            }
        }
    }

    /// `zonda key revoke`.
    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Revoke a key in the container's environment: its signatures are refused within five seconds.",
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
                let answer = try await session.ask(.serverKeysRevoke, body, limit: GlobalOptions.requestLimit)
                _ = global.show(answer) {
                    "\($0["keyID"]?.string ?? "")  \($0["revoked"]?.bool == true ? "revoked" : "was not good")"
                }
            }
        }
    }
}
