package import CloudKitModel
internal import Crypto
package import Foundation

/// The change tag and the generated record name of one operation.
///
/// They derive from a random number that the request gets when it is taken, not from its `message-id`: a producer may
/// use an id again after a day, and then neither a tag that a client still holds nor a name that was given may come
/// back. A repeat of a request needs no derivation, because its row keeps both.
package struct OperationIdentity {
    private let digest: [UInt8]

    /// The identity of the operation at `position` of a request.
    package init(request: UUID, position: Int) {
        var hash = SHA256()
        withUnsafeBytes(of: request.uuid) { hash.update(bufferPointer: $0) }
        withUnsafeBytes(of: UInt32(position).bigEndian) { hash.update(bufferPointer: $0) }
        digest = Array(hash.finalize())
    }

    /// The identity of the deletion of a dependent, which no operation names: it is the only change with that number.
    package init(dependent key: RecordKey, seq: Int64) {
        var hash = SHA256()
        hash.update(data: Array(key.name.rawValue.utf8))
        hash.update(data: [0])
        withUnsafeBytes(of: key.zone.rawValue.bigEndian) { hash.update(bufferPointer: $0) }
        withUnsafeBytes(of: seq.bigEndian) { hash.update(bufferPointer: $0) }
        digest = Array(hash.finalize())
    }

    /// Up to 13 characters of base 36, in the form of CloudKit's tags. Compared only for equality.
    package var changeTag: String {
        String(digest.prefix(8).reduce(0 as UInt64) { ($0 << 8) | UInt64($1) }, radix: 36)
    }

    /// A UUID (version 8: made from a digest) in capitals, as clients generate them.
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
