package import AssetService
package import BlobStorage
internal import Foundation
internal import ServiceRuntime

extension AssetServiceConfiguration {
    /// The configuration with the required settings and `settings`.
    package static func test(_ settings: [String: String] = [:]) throws -> AssetServiceConfiguration {
        let keys = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).keys")
        try "test:\(String(repeating: "0", count: 64))\n".write(to: keys, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(at: keys) }
        let required = [
            "ZONDA_AMQP_URL": "amqp://localhost", "ZONDA_POSTGRES_URL": "postgres://localhost",
            "ZONDA_SIGNING_KEYS_FILE": keys.path, "ZONDA_ASSET_DIRECTORY": "/nowhere",
        ]
        return try AssetServiceConfiguration(ServiceSettings(variables: required.merging(settings) { $1 }))
    }
}

extension EncryptionKeys {
    /// A line of a file of keys, with a secret of 32 equal bytes.
    package static func testLine(_ id: String, _ byte: UInt8) -> String {
        "\(id):\(Data(repeating: byte, count: 32).base64EncodedString())"
    }

    /// Keys with such secrets. The first one encrypts.
    package static func test(_ keys: KeyValuePairs<String, UInt8>) throws -> EncryptionKeys {
        try EncryptionKeys(parsing: keys.map { testLine($0.key, $0.value) }.joined(separator: "\n"))
    }
}
