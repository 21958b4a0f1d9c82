internal import Crypto
package import Foundation

/// The secret from which the ids and the one-time links of new participants are derived.
///
/// A save computes the list of participants several times: to check it, to write it and to answer. A new participant gets
/// the same id and link each time.
package struct ParticipantSeed: Sendable {
    private let key = SymmetricKey(size: .bits256)

    /// Creates a random secret.
    package init() {}

    /// Returns the id of the participant with this number in a share.
    package func id(of number: Int32) -> UUID {
        var source = Source(key: key, label: 0, number: number)
        return UUID.random(using: &source)
    }

    /// Returns the one-time link of the participant with this number in a share.
    package func link(of number: Int32) -> String {
        var source = Source(key: key, label: 1, number: number)
        return ShareLink.random(using: &source)
    }

    /// Pseudorandom numbers that cannot be predicted without the key.
    private struct Source: RandomNumberGenerator {
        let key: SymmetricKey
        let label: UInt8
        let number: Int32
        private var count: UInt32 = 0

        init(key: SymmetricKey, label: UInt8, number: Int32) {
            (self.key, self.label, self.number) = (key, label, number)
        }

        mutating func next() -> UInt64 {
            var input = [label]
            withUnsafeBytes(of: number.bigEndian) { input += $0 }
            withUnsafeBytes(of: count.bigEndian) { input += $0 }
            count += 1
            let code = HMAC<SHA256>.authenticationCode(for: input, using: key)
            return code.prefix(8).reduce(0) { ($0 << 8) | UInt64($1) }
        }
    }
}

extension UUID {
    /// Returns a random UUID (version 4).
    fileprivate static func random(using source: inout some RandomNumberGenerator) -> UUID {
        let (high, low) = (source.next(), source.next())
        var bytes: [UInt8] = []
        for half in [high, low] { withUnsafeBytes(of: half.bigEndian) { bytes += $0 } }
        bytes[6] = (bytes[6] & 0x0F) | 0x40
        bytes[8] = (bytes[8] & 0x3F) | 0x80
        return bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }
}
