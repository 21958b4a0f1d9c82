internal import Crypto
package import Foundation

/// The master keys of blobs (`ZONDA_ASSET_ENCRYPTION_KEYS_FILE`): lines of `id:base64 of 32 bytes`. The first key
/// encrypts the keys of new blobs; every key can decrypt. `deploy/docs/operating.md` describes how to change the master
/// key while several instances are running.
package struct EncryptionKeys: Sendable {
    /// The error thrown if a key file is invalid. The description names the line, but never contains the secret.
    package struct FileError: Error, CustomStringConvertible {
        package let description: String
    }

    /// A master key.
    struct MasterKey: Sendable {
        /// The name of the key: letters, digits, `.`, `_`, `-`.
        let id: String
        /// The number by which blobs refer to the key (``SealedGeneration``). It depends on the secret, so a blob that
        /// was encrypted under a different key with the same id is not mistaken for a damaged one.
        let fingerprint: UInt32
        /// The key that encrypts the keys of blobs. It is derived from the secret.
        let wrapping: SymmetricKey

        init(id: String, secret: some ContiguousBytes) {
            let secret = SymmetricKey(data: secret)
            func derive(_ purpose: String) -> HMAC<SHA256>.MAC {
                HMAC<SHA256>.authenticationCode(for: Array(purpose.utf8), using: secret)
            }
            self.id = id
            fingerprint = derive("zonda asset key \(id)").prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
            wrapping = SymmetricKey(data: Array(derive("zonda asset key wrapping")))
        }
    }

    /// The maximum length of an id, in bytes.
    static let maxIDLength = 32
    private static let secretLength = 32
    private let keys: [MasterKey]

    /// Parses the text of a file.
    ///
    /// - Throws: ``FileError`` if it contains no key, a malformed line, or two keys with the same id.
    package init(parsing text: String) throws(FileError) {
        var keys: [MasterKey] = []
        for (index, line) in text.split(whereSeparator: \.isNewline).enumerated() where !line.hasPrefix("#") {
            let parts = line.split(separator: ":", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
            guard parts.count == 2, Self.isID(parts[0]), let secret = Data(base64Encoded: parts[1]),
                secret.count == Self.secretLength
            else {
                throw FileError(
                    description: "line \(index + 1) must have the form ID:KEY, where KEY is 32 bytes in base64")
            }
            let key = MasterKey(id: parts[0], secret: secret)
            guard !keys.contains(where: { $0.id == key.id || $0.fingerprint == key.fingerprint }) else {
                throw FileError(description: "line \(index + 1) has the same id or fingerprint as another key")
            }
            keys.append(key)
        }
        guard !keys.isEmpty else { throw FileError(description: "there is no key") }
        self.keys = keys
    }

    /// The key for new blobs.
    var current: MasterKey { keys[0] }

    /// The id of the master key that encrypts new blobs.
    package var currentID: String { current.id }

    /// The first and the last possible generation of a file encrypted with the current master key, in the database's
    /// sort order.
    package var currentGenerations: (first: UUID, last: UUID) {
        SealedGeneration(fingerprint: current.fingerprint).bounds
    }

    /// Returns the key with this fingerprint; nil if there is none.
    func key(_ fingerprint: UInt32) -> MasterKey? { keys.first { $0.fingerprint == fingerprint } }

    private static func isID(_ text: String) -> Bool {
        (1...maxIDLength).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }
}
