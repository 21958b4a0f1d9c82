import CLinux
internal import CloudKitWire
import CommandLineSession
internal import Foundation
import FoundationEssentials
import ServiceMessages

/// The secrets of a deployment: a folder for each owner, with a file for each secret.
///
/// | folder | files |
/// | --- | --- |
/// | `record` `asset` `subscription` `gateway` | `amqp-password` `postgres-password` `signing-keys` |
/// | `operator` | `amqp-password` `postgres-password`: the administrators' passwords; `signing-keys`: the deployment's secrets, from which the services' keys are derived |
/// | `postgres` | `postgres-password`: the administrator's password, which the server reads when it creates the administrator's role |
/// | `rabbitmq` | `definitions.json`: loaded by the broker when it starts |
/// | `producers` | `producers.json`: for `ZONDA_PRODUCERS`, if the operator uses it |
///
/// A service's folder is its `ZONDA_SECRETS_DIRECTORY`, which no other service can read.
struct DeploymentSecrets: Sendable {
    /// The path of the folder that contains the owners' folders.
    let path: String

    /// Creates missing secrets, which only their owners can read. Existing secrets are kept, but each service's signing
    /// keys are always derived from the operator's secrets.
    ///
    /// - Throws: ``ProvisionError``.
    func fill() throws(ProvisionError) {
        for service in ServiceName.allCases {
            try add("amqp-password", of: service.rawValue, Self.password())
            try add("postgres-password", of: service.rawValue, Self.password())
        }
        try add("amqp-password", of: Self.operatorName, Self.password())
        try add("postgres-password", of: Self.operatorName, Self.password())
        try add("postgres-password", of: Server.postgres.rawValue, try password(for: .postgres, of: nil))
        try fillSigningKeys()
    }

    /// Writes the definitions for the broker. They contain only hashes of passwords, and are readable by all users,
    /// because the broker might run as a different user.
    ///
    /// - Throws: ``ProvisionError``.
    func write(_ definitions: BrokerDefinitions) throws(ProvisionError) {
        try write(definitions.json.encoded(), to: "rabbitmq", "definitions.json", mode: 0o644)
    }

    /// Writes an initial producers file, which allows the deployment's own users to perform all operations. An existing
    /// file is kept, because the operator maintains it. The file contains no secrets.
    ///
    /// - Throws: ``ProvisionError``.
    func writeProducers(of deployment: String) throws(ProvisionError) {
        guard !exists("producers.json", of: "producers") else { return }
        let everything: [JSONValue.Member] = ["containers", "environments", "databases", "users", "operations"].map {
            JSONValue.Member($0, "*")
        }
        let file: JSONValue = [
            "producers": [
                .object([.init("user", .string(deployment))] + everything + [.init("admin", true)]),
                .object(
                    [.init("user", .string("\(deployment)-\(ServiceName.gateway.rawValue)"))] + everything
                        + [.init("identity", true)]),
            ]
        ]
        try write(Array((file.indented() + "\n").utf8), to: "producers", "producers.json", mode: 0o644)
    }

    /// Returns the password that a service, or the administrator if `service` is nil, uses to connect to a server.
    ///
    /// - Throws: ``ProvisionError``, which names the file that cannot be read.
    func password(for server: Server, of service: ServiceName?) throws(ProvisionError) -> String {
        try read("\(server.rawValue)-password", of: service?.rawValue ?? Self.operatorName)
    }

    /// A server that requires a password.
    enum Server: String { case amqp, postgres }

    /// The name of the folder that contains the administrators' secrets.
    static let operatorName = "operator"

    private func file(_ name: String, of owner: String) -> String { "\(path)/\(owner)/\(name)" }

    /// Returns whether a file exists.
    func exists(_ name: String, of owner: String) -> Bool {
        FileManager.default.fileExists(atPath: file(name, of: owner))
    }

    /// Reads a secret.
    ///
    /// - Throws: ``ProvisionError``, which names the file.
    func read(_ name: String, of owner: String) throws(ProvisionError) -> String {
        let file = file(name, of: owner)
        guard let secret = SecretFile.text(at: file) else {
            throw ProvisionError("\(file) cannot be read: create it with `zonda provision secrets`")
        }
        guard !secret.isEmpty else { throw ProvisionError("\(file) is empty") }
        return secret
    }

    /// Writes a secret unless it already exists.
    ///
    /// - Throws: ``ProvisionError``.
    func add(_ name: String, of owner: String, _ secret: String) throws(ProvisionError) {
        guard !exists(name, of: owner) else { return }
        try replace(name, of: owner, secret)
    }

    /// Creates or replaces a secret.
    ///
    /// - Throws: ``ProvisionError``.
    func replace(_ name: String, of owner: String, _ secret: String) throws(ProvisionError) {
        try write(Array("\(secret)\n".utf8), to: owner, name, mode: 0o400)
    }

    /// Writes a file atomically, by renaming a temporary file.
    private func write(_ bytes: [UInt8], to owner: String, _ name: String, mode: Int) throws(ProvisionError) {
        let (target, fresh) = (file(name, of: owner), file(name, of: owner) + ".new")
        do {
            try FileManager.default.createDirectory(
                atPath: "\(path)/\(owner)", withIntermediateDirectories: true,
                attributes: [.posixPermissions: mode == 0o644 ? 0o755 : 0o700])
            try? FileManager.default.removeItem(atPath: fresh)
            guard
                FileManager.default.createFile(
                    atPath: fresh, contents: Data(bytes), attributes: [.posixPermissions: mode])
            else { throw CocoaError(.fileWriteUnknown) }
        } catch {
            throw ProvisionError("\(target) cannot be written: \(error)")
        }
        guard rename(fresh, target) == 0 else { throw ProvisionError("\(target) cannot be written") }
    }

    /// Returns a password with 128 random bits, which cannot be guessed even though the broker's hash function is fast.
    private static func password() -> String { SecretText.random() }
}

/// An error that occurred while provisioning a deployment.
struct ProvisionError: Error, CustomStringConvertible {
    /// The message for the operator; contains no secrets.
    let description: String

    /// Creates an error with a description.
    init(_ description: String) { self.description = description }
}
