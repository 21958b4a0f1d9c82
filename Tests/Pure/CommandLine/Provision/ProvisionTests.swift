import AMQPClient
import CloudKitWire
import Crypto
import Foundation
import ServiceMessages
import Testing

@testable import CommandLine
@testable import CommandLineSession

/// The files that `zonda provision` writes without access to a server.
struct ProvisionTests {
    @Test func everyServiceHasSecretsOfItsOwn() throws {
        try withSecrets { secrets in
            try secrets.fill()
            let passwords = try [.amqp, .postgres].flatMap { server in
                try [nil, .record, .asset, .subscription].map { try secrets.password(for: server, of: $0) }
            }
            #expect(Set(passwords).count == 8)
            let administrators = try text("operator/postgres-password", secrets)
            #expect(try text("postgres/postgres-password", secrets) == administrators)
        }
    }

    @Test func whatIsThereStays() throws {
        try withSecrets { secrets in
            try FileManager.default.createDirectory(
                atPath: "\(secrets.path)/record", withIntermediateDirectories: true)
            try "  own word \r\n\n".write(
                toFile: "\(secrets.path)/record/amqp-password", atomically: true, encoding: .utf8)
            try secrets.fill()
            // Everything except line ends is part of a secret.
            #expect(try secrets.password(for: .amqp, of: .record) == "  own word ")
        }
    }

    @Test func secretsAreForTheirOwnersEyes() throws {
        try withSecrets { secrets in
            try secrets.fill()
            for (path, mode) in [("record", 0o700), ("record/signing-keys", 0o400), ("operator/amqp-password", 0o400)] {
                let attributes = try FileManager.default.attributesOfItem(atPath: "\(secrets.path)/\(path)")
                #expect(attributes[.posixPermissions] as? Int == mode, "\(path)")
            }
        }
    }

    @Test func aSecretThatIsMissingIsNamed() throws {
        try withSecrets { secrets in
            let error = #expect(throws: ProvisionError.self) { try secrets.password(for: .amqp, of: .asset) }
            #expect(error?.description.contains("asset/amqp-password cannot be read") == true)
        }
    }

    @Test func definitionsHaveAUserForEachServiceAndNoPassword() throws {
        try withSecrets { secrets in
            try secrets.fill()
            let definitions = try BrokerDefinitions(of: "zonda", virtualHost: "v", secrets: secrets)
            let text = definitions.json.text
            let json = try #require(
                try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: [[String: Any]]])
            let users = json["users"]?.compactMap { $0["name"] as? String }
            #expect(users == ["zonda"] + ServiceName.allCases.map { "zonda-\($0.rawValue)" })
            #expect(json["users"]?.filter { $0["tags"] as? String != "" }.count == 1)
            #expect(Set(json["permissions"]?.compactMap { $0["user"] as? String } ?? []) == Set(users ?? []))
            #expect(json["queues"]?.count == Topology.all.queues.count)
            for service in ServiceName.allCases {
                #expect(!text.contains(try secrets.password(for: .amqp, of: service)))
            }
            let again = try BrokerDefinitions(of: "zonda", virtualHost: "v", secrets: secrets)
            #expect(again.json.text == text)
        }
    }

    /// RabbitMQ accepts a password if its salted hash is the same.
    @Test func aHashIsThatOfItsSaltAndPassword() throws {
        let hash = try #require(Data(base64Encoded: BrokerDefinitions.hash("pencil", of: "zonda-record")))
        #expect(hash.count == 36)
        #expect(Data(SHA256.hash(data: hash.prefix(4) + Data("pencil".utf8))) == hash.dropFirst(4))
    }

    private func withSecrets(_ body: (DeploymentSecrets) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "provision-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(DeploymentSecrets(path: folder.path))
    }

    private func text(_ file: String, _ secrets: DeploymentSecrets) throws -> String {
        try String(contentsOfFile: "\(secrets.path)/\(file)", encoding: .utf8)
    }
}
