import CLinux
internal import CloudKitWire
import CommandLineSession
internal import Foundation
import FoundationEssentials
import ServiceMessages

/// The secrets of a deployment: a folder for each who has some, in it a file for each secret.
///
/// | folder | files |
/// | --- | --- |
/// | `record` `asset` `subscription` `gateway` | `amqp-password` `postgres-password` `signing-keys` |
/// | `operator` | `amqp-password` `postgres-password`: the administrator's; `signing-keys`: the deployment's secrets, from which the services' are derived |
/// | `postgres` | `postgres-password`: the administrator's, for the server that makes the role |
/// | `rabbitmq` | `definitions.json`: what the broker loads at its start |
/// | `producers` | `producers.json`: for `ZONDA_PRODUCERS`, once the operator wants it |
///
/// A service's folder is what it is given as `ZONDA_SECRETS_DIRECTORY`, and nobody else's.
struct DeploymentSecrets: Sendable {
    /// Where it is.
    let path: String

    /// Makes every secret that is missing, for the owner's eyes only; what is there stays. Each service's signing keys are
    /// those that it needs, derived from the operator's, and follow them.
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

    /// Writes what the broker loads. It has hashes of passwords only, and the broker may run as somebody else.
    ///
    /// - Throws: ``ProvisionError``.
    func write(_ definitions: BrokerDefinitions) throws(ProvisionError) {
        try write(definitions.json.encoded(), to: "rabbitmq", "definitions.json", mode: 0o644)
    }

    /// Writes a first producers file, by which the deployment's own users may do everything they do; one that is there
    /// stays, since it is the operator's. It has no secrets.
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
                .object([.init("user", .string("\(deployment)-\(ServiceName.gateway.rawValue)"))] + everything),
            ]
        ]
        try write(Array((file.indented() + "\n").utf8), to: "producers", "producers.json", mode: 0o644)
    }

    /// The broker's passwords by user; of a service, or the operator's for nil.
    ///
    /// - Throws: ``ProvisionError`` naming the file that cannot be read.
    func password(for server: Server, of service: ServiceName?) throws(ProvisionError) -> String {
        try read("\(server.rawValue)-password", of: service?.rawValue ?? Self.operatorName)
    }

    /// A server that has passwords.
    enum Server: String { case amqp, postgres }

    /// Whose secrets are the administrator's.
    static let operatorName = "operator"

    private func file(_ name: String, of owner: String) -> String { "\(path)/\(owner)/\(name)" }

    /// Whether a file is there.
    func exists(_ name: String, of owner: String) -> Bool {
        FileManager.default.fileExists(atPath: file(name, of: owner))
    }

    /// A secret that is there.
    ///
    /// - Throws: ``ProvisionError`` naming the file.
    func read(_ name: String, of owner: String) throws(ProvisionError) -> String {
        let file = file(name, of: owner)
        guard let secret = SecretFile.text(at: file) else {
            throw ProvisionError("\(file) cannot be read: has `zonda provision secrets` been run?")
        }
        guard !secret.isEmpty else { throw ProvisionError("\(file) is empty") }
        return secret
    }

    /// Writes a secret unless it is there.
    ///
    /// - Throws: ``ProvisionError``.
    func add(_ name: String, of owner: String, _ secret: String) throws(ProvisionError) {
        guard !exists(name, of: owner) else { return }
        try replace(name, of: owner, secret)
    }

    /// Writes a secret in the place of one that may be there.
    ///
    /// - Throws: ``ProvisionError``.
    func replace(_ name: String, of owner: String, _ secret: String) throws(ProvisionError) {
        try write(Array("\(secret)\n".utf8), to: owner, name, mode: 0o400)
    }

    /// Under another name first: a file is there whole or not at all.
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

    /// 128 random bits: nothing to guess, and the broker's hash needs no slowness.
    private static func password() -> String { SecretText.random() }
}

/// Why something cannot be provisioned.
struct ProvisionError: Error, CustomStringConvertible {
    /// The sentence for the operator; never a secret.
    let description: String

    /// An error with that sentence.
    init(_ description: String) { self.description = description }
}
