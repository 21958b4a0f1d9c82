import Foundation
import ServiceMessages
import SignedTokens
import Testing

@testable import CommandLine
@testable import CommandLineSession

/// The signing keys that `zonda provision secrets` gives to each service.
struct SigningKeyProvisionTests {
    private static func secret(_ id: String, _ digit: String) -> String {
        "\(id):\(String(repeating: digit, count: 64))"
    }

    @Test func aServiceHasTheKeysThatItNeedsAndNoSecret() throws {
        try withSecrets { secrets in
            try secrets.fill()
            let master = try text("operator", secrets)
            for service in ServiceName.allCases {
                let own = try text(service.rawValue, secrets)
                #expect(!own.contains(master.split(separator: ":")[1].prefix(64)))
                for purpose in SigningKeys.Purpose.allCases {
                    let keys = try? SigningKeys(parsing: own, for: purpose)
                    #expect((keys != nil) == service.signingPurposes.contains(purpose), "\(service) \(purpose)")
                    guard let keys else { continue }
                    let signed = try SigningKeys(parsing: master, for: purpose).sign([1, 2, 3])
                    #expect(keys.verify(signed) == [1, 2, 3])
                }
            }
            #expect(Set(ServiceName.allCases.flatMap(\.signingPurposes)) == Set(SigningKeys.Purpose.allCases))
        }
    }

    @Test func aNewKeyInTheOperatorsFileReachesEveryService() throws {
        try withSecrets { secrets in
            try secrets.fill()
            let old = try text("operator", secrets)
            let before = try SigningKeys(parsing: text("gateway", secrets), for: .webAuthToken).sign([7])
            try write(Self.secret("k2", "2") + "\n" + old, "operator", secrets)
            try secrets.fill()
            let after = try SigningKeys(parsing: text("gateway", secrets), for: .webAuthToken)
            #expect(after.verify(before) == [7])
            let signed = after.sign([8])
            #expect(signed != before)
            let rotated = try SigningKeys(parsing: Self.secret("k2", "2"), for: .webAuthToken)
            #expect(rotated.verify(signed) == [8])
        }
    }

    @Test func anEarlierVersionsFilesAreTakenOver() throws {
        try withSecrets { secrets in
            let old = Self.secret("k7", "7")
            for service in ServiceName.allCases { try write("# ours\n\(old)\n", service.rawValue, secrets) }
            try secrets.fill()
            #expect(try text("operator", secrets).contains(old))
            for service in ServiceName.allCases {
                let own = try text(service.rawValue, secrets)
                #expect(!own.contains(old))
                let purpose = try #require(service.signingPurposes.first)
                let signed = try SigningKeys(parsing: old, for: purpose).sign([9])
                #expect(try SigningKeys(parsing: own, for: purpose).verify(signed) == [9])
            }
        }
    }

    @Test func aFileWithASecretThatTheOperatorLacksStays() throws {
        try withSecrets { secrets in
            try write(Self.secret("k1", "1") + "\n", "operator", secrets)
            let own = Self.secret("k2", "2") + "\n" + Self.secret("k1", "1") + "\n"
            try write(own, "record", secrets)
            try secrets.fill()
            #expect(try text("record", secrets) == own)
        }
    }

    @Test func keysWithoutTheirSecretsAreNotReplacedSilently() throws {
        try withSecrets { secrets in
            try secrets.fill()
            let before = try text("asset", secrets)
            try FileManager.default.removeItem(atPath: "\(secrets.path)/operator/signing-keys")
            let error = #expect(throws: ProvisionError.self) { try secrets.fill() }
            #expect(error?.description.contains("operator/signing-keys is missing") == true)
            #expect(try text("asset", secrets) == before)
        }
    }

    @Test(arguments: [
        "k1:sync-token", "k1:sync-token:00", "k1:no-such-purpose:\(String(repeating: "0", count: 64))", ":x",
    ])
    func aLineOfAnotherFormIsNamed(line: String) {
        let error = #expect(throws: SigningKeys.FileError.self) { try SigningKeyFile(parsing: "# c\n\(line)") }
        #expect(error?.description.hasPrefix("line 2 must have the form") == true)
    }

    private func withSecrets(_ body: (DeploymentSecrets) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "signing-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(DeploymentSecrets(path: folder.path))
    }

    private func text(_ owner: String, _ secrets: DeploymentSecrets) throws -> String {
        try String(contentsOfFile: "\(secrets.path)/\(owner)/signing-keys", encoding: .utf8)
    }

    private func write(_ text: String, _ owner: String, _ secrets: DeploymentSecrets) throws {
        let folder = "\(secrets.path)/\(owner)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try? FileManager.default.removeItem(atPath: "\(folder)/signing-keys")
        try text.write(toFile: "\(folder)/signing-keys", atomically: true, encoding: .utf8)
    }
}
