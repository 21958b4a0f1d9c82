import ArgumentParser
import CloudKitModel
import CommandLineSession
import Foundation
import OperatorMessages

/// `zonda key add`.
struct KeyAdd: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Register the public key of a key pair for the container's environment.",
        discussion: """
            Prints the key's ID, for the header X-Apple-CloudKit-Request-KeyID, and the record name of a user. \
            Requests that are signed with the key act as this user.

            EXAMPLE
              zonda key add key.pub.pem --name importer
            """)

    @OptionGroup var global: GlobalOptions

    @Argument(help: "The PEM file (-----BEGIN PUBLIC KEY-----), or - for standard input.")
    var file: String

    @Option(help: "The name shown in lists. Default: the file's name.")
    var name: String?

    func run() async throws {
        let scope = try global.scope()
        let request = ServerKeyAddRequest(
            container: scope.container, environment: scope.environment.rawValue, name: shownName,
            publicKey: try await pem())
        try await global.show(answerTo: request, line: AccountLine.key)
    }

    private var shownName: String {
        name ?? (file == "-" ? "key" : URL(filePath: file).lastPathComponent)
    }

    /// Returns the file's text, which must not contain a private key.
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
            throw ValidationError(
                "\(file) contains a private key: specify the public key (openssl ec -in \(file) -pubout)")
        }
        return text
    }
}
