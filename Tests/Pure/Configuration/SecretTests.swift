import AMQPClient
import AssetService
import Foundation
import PostgresClient
import RecordService
import RequestServing
import ServiceRuntime
import SignedTokens
import SubscriptionService
import Testing

/// Secrets of the services, which must not be revealed.
struct SecretTests {
    private static let key = String(repeating: "5a", count: 32)
    private static let secrets = [
        "broker%2Fsecret", "broker/secret", "databasesecret", "plainsecret", key, "90, 90, 90, 90",
    ]
    private static let variables = [
        "ZONDA_AMQP_URL": "amqp://u:broker%2Fsecret@h/v", "ZONDA_POSTGRES_URL": "postgres://u:databasesecret@h/d",
        "ZONDA_SIGNING_KEYS": "k1:\(key)", "ZONDA_ASSET_DIRECTORY": "/assets",
        "ZONDA_ASSET_URL": "https://files.example",
    ]

    private static func configurations(_ variables: [String: String] = [:]) throws -> [any Sendable] {
        let settings = ServiceSettings(variables: Self.variables.merging(variables) { $1 })
        return [
            try RecordServiceConfiguration(settings), try AssetServiceConfiguration(settings),
            try SubscriptionServiceConfiguration(settings), settings,
        ]
    }

    /// ServiceLifecycle logs descriptions of whole services, including all their properties.
    @Test func noDescriptionOfAConfigurationShowsThem() throws {
        let passwords = ["ZONDA_AMQP_PASSWORD": "plainsecret", "ZONDA_POSTGRES_PASSWORD": "plainsecret"]
        for configuration in try Self.configurations() + Self.configurations(passwords) {
            for text in ["\(configuration)", String(reflecting: configuration)] {
                for secret in Self.secrets { #expect(!text.contains(secret)) }
            }
        }
    }

    @Test(arguments: [
        ("ZONDA_AMQP_URL", "http://u:databasesecret@h"), ("ZONDA_AMQP_URL", "amqp://u:data/basesecret@h/v"),
        ("ZONDA_AMQP_URL", "amqp://u:p@h/v?databasesecret=plainsecret"),
        ("ZONDA_POSTGRES_URL", "postgres://u:databasesecret/x@h/d"), ("ZONDA_POSTGRES_URL", "databasesecret"),
        ("ZONDA_POSTGRES_URL", "postgres://u:databasesecret%zz@h/d"),
        ("ZONDA_POSTGRES_URL", "postgres://u:p@h/d?databasesecret"),
        ("ZONDA_POSTGRES_URL", "postgres://u:pa@databasesecret@h/d"),
        ("ZONDA_POSTGRES_URL", "postgres://u:12/databasesecret@h/d"),
        ("ZONDA_SIGNING_KEYS", "plainsecret"), ("ZONDA_SIGNING_KEYS", "k1:plainsecret"),
    ])
    func noRefusalRepeatsThem(variable: String, value: String) throws {
        let error = #expect(throws: SettingError.self) { try Self.configurations([variable: value]) }
        let description = try #require(error?.description)
        #expect(description.hasPrefix("\(variable): must be "))
        for secret in ["databasesecret", "basesecret", "plainsecret"] { #expect(!description.contains(secret)) }
    }

    @Test func keysThatWereTakenForTheirFileAreNotRepeatedEither() throws {
        let error = #expect(throws: SettingError.self) {
            try Self.configurations(["ZONDA_SIGNING_KEYS": "", "ZONDA_SIGNING_KEYS_FILE": "k1:\(Self.key)"])
        }
        #expect(error?.description == "ZONDA_SIGNING_KEYS_FILE: must name a file that can be read [signing.keysFile]")
    }

    @Test func aPasswordOfItsOwnTakesThePlaceOfTheURLs() throws {
        let passwords = ["ZONDA_AMQP_PASSWORD": "a b", "ZONDA_POSTGRES_PASSWORD": "c/d"]
        let settings = ServiceSettings(variables: Self.variables.merging(passwords) { $1 })
        let host = try RecordServiceConfiguration(settings).host
        #expect(host.amqp.user == "u")
        #expect(host.amqp.password == "a b")
        #expect(host.postgres.password == "c/d")
        let without = try RecordServiceConfiguration(ServiceSettings(variables: Self.variables)).host
        #expect(without.amqp.password == "broker/secret")
        #expect(without.postgres.password == nil)
    }

    @Test func keysComeFromAFileOrFromTheSettingItself() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).keys")
        try "k1:\(Self.key)\n".write(to: file, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(at: file) }
        let own = try AssetServiceConfiguration(ServiceSettings(variables: Self.variables))
        let fromFile = try AssetServiceConfiguration(
            ServiceSettings(
                variables: Self.variables.merging(["ZONDA_SIGNING_KEYS": "", "ZONDA_SIGNING_KEYS_FILE": file.path]) {
                    $1
                }))
        #expect(own.receiptKeys.verify(fromFile.receiptKeys.sign([1, 2, 3])) == [1, 2, 3])
    }
}
