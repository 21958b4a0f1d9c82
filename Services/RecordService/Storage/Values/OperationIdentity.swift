package import CloudKitModel
internal import Crypto
package import Foundation

/// The change tag and the generated record name of one operation.
///
/// Both are derived from a random number that is chosen when the request is accepted, not from the request's
/// `message-id`. A producer can reuse a `message-id` after a day, whereas a tag that a client still has, or a name that
/// was assigned, must never be generated again. A repeated request needs no derivation, because the stored outcome
/// contains both.
package struct OperationIdentity {
    private let digest: [UInt8]

    /// Creates the identity of the operation at `position` in a request.
    package init(request: UUID, position: Int) {
        var hash = SHA256()
        withUnsafeBytes(of: request.uuid) { hash.update(bufferPointer: $0) }
        withUnsafeBytes(of: UInt32(position).bigEndian) { hash.update(bufferPointer: $0) }
        digest = Array(hash.finalize())
    }

    /// Creates the identity of a dependent's deletion, which no operation requests. The number of the deletion is
    /// unique in its zone.
    package init(dependent key: RecordKey, seq: Int64) {
        var hash = SHA256()
        hash.update(data: Array(key.name.rawValue.utf8))
        hash.update(data: [0])
        withUnsafeBytes(of: key.zone.rawValue.bigEndian) { hash.update(bufferPointer: $0) }
        withUnsafeBytes(of: seq.bigEndian) { hash.update(bufferPointer: $0) }
        digest = Array(hash.finalize())
    }

    /// The change tag: up to 13 characters in base 36, in the form of CloudKit's tags. Tags are compared only for
    /// equality.
    package var changeTag: String {
        String(digest.prefix(8).reduce(0 as UInt64) { ($0 << 8) | UInt64($1) }, radix: 36)
    }

    /// Returns the generated record name. The name of a share has the prefix `Share-`.
    package func recordName(ofShare isShare: Bool) -> RecordName {
        isShare ? RecordName(unchecked: "Share-\(recordName.rawValue)") : recordName
    }

    /// The generated record name: a UUID in upper case, as clients generate them. The UUID's version is 8, because it
    /// is derived from a digest.
    package var recordName: RecordName {
        var bytes = Array(digest[8..<24])
        bytes[6] = (bytes[6] & 0x0F) | 0x80
        bytes[8] = (bytes[8] & 0x3F) | 0x80
        let digits = Array("0123456789ABCDEF".utf8)
        var text: [UInt8] = []
        text.reserveCapacity(36)
        for (index, byte) in bytes.enumerated() {
            if [4, 6, 8, 10].contains(index) { text.append(UInt8(ascii: "-")) }
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return RecordName(unchecked: String(decoding: text, as: UTF8.self))
    }
}
