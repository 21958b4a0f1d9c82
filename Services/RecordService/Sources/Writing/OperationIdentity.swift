internal import Crypto

/// Change tags and generated record names derive from who asked, the message's id and the operation's position: a
/// repeat of a request whose answer was lost would make the same ones.
struct OperationIdentity {
    private let digest: [UInt8]

    init(user: String, messageID: String, position: Int) {
        var hash = SHA256()
        hash.update(data: Array(user.utf8))
        hash.update(data: [0])
        hash.update(data: Array(messageID.utf8))
        hash.update(data: [0])
        withUnsafeBytes(of: UInt32(position).bigEndian) { hash.update(bufferPointer: $0) }
        digest = Array(hash.finalize())
    }

    /// Up to 13 characters of base 36, as CloudKit's look like; compared for equality only.
    var changeTag: String {
        String(digest.prefix(8).reduce(0 as UInt64) { ($0 << 8) | UInt64($1) }, radix: 36)
    }

    /// A UUID (version 8: made from a digest) in capitals, as clients generate them.
    var recordName: String {
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
        return String(decoding: text, as: UTF8.self)
    }
}
