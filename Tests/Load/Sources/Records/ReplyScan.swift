/// Finds the values that a load needs in an answer, without parsing it into a tree.
enum ReplyScan {
    private static let errorKey = Array(#""serverErrorCode""#.utf8)
    private static let numberKey = Array(#""n":"#.utf8)
    private static let valueKey = Array(#""value":"#.utf8)

    /// Returns the first `serverErrorCode` in the answer, or nil. `ATOMIC_ERROR` is returned only if there is no other
    /// code. Because a load writes only letters into fields, the quoted key cannot be part of a value.
    static func errorCode(in body: some Collection<UInt8>) -> String? {
        let found = body.withContiguousStorageIfAvailable { bytes -> String? in
            var first: String?
            var position = 0
            while let key = firstRange(of: errorKey, in: bytes, from: position) {
                let opening = firstIndex(of: UInt8(ascii: "\""), in: bytes, from: key) ?? bytes.count
                let start = min(opening + 1, bytes.count)
                position = firstIndex(of: UInt8(ascii: "\""), in: bytes, from: start) ?? bytes.count
                let code = String(decoding: UnsafeBufferPointer(rebasing: bytes[start..<position]), as: UTF8.self)
                guard code == "ATOMIC_ERROR" else { return code }
                first = first ?? code
            }
            return first
        }
        return found ?? errorCode(in: Array(body))
    }

    /// Returns the values of the field `n` of all records, in order. The keys of the field may be in any order.
    static func numbers(in body: some Collection<UInt8>) -> [UInt32] {
        let found = body.withContiguousStorageIfAvailable { bytes in
            var numbers: [UInt32] = []
            var position = 0
            while let field = firstRange(of: numberKey, in: bytes, from: position) {
                position = field
                guard let value = firstRange(of: valueKey, in: bytes, from: field) else { break }
                var number: UInt32 = 0
                position = value
                while position < bytes.count, bytes[position] == UInt8(ascii: " ") { position += 1 }
                while position < bytes.count, (0x30...0x39).contains(bytes[position]) {
                    number = number &* 10 &+ UInt32(bytes[position] - 0x30)
                    position += 1
                }
                numbers.append(number)
            }
            return numbers
        }
        return found ?? numbers(in: Array(body))
    }

    /// Returns the index after the next occurrence of `pattern` at or after `start`.
    private static func firstRange(of pattern: [UInt8], in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
        var position = start
        while position + pattern.count <= bytes.count {
            if bytes[position] == pattern[0] {
                var length = 1
                while length < pattern.count, bytes[position + length] == pattern[length] { length += 1 }
                if length == pattern.count { return position + length }
            }
            position += 1
        }
        return nil
    }

    private static func firstIndex(of byte: UInt8, in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
        var position = start
        while position < bytes.count {
            if bytes[position] == byte { return position }
            position += 1
        }
        return nil
    }
}
