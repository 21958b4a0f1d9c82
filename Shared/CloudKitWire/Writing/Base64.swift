/// Standard base64 (RFC 4648, section 4), implemented without Foundation.
enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// The value of each byte as a base64 digit; 0xFF for bytes that are not digits.
    private static let digits: [UInt8] = {
        var digits = [UInt8](repeating: 0xFF, count: 256)
        for (value, byte) in alphabet.enumerated() { digits[Int(byte)] = UInt8(value) }
        return digits
    }()

    /// Appends the padded base64 of `bytes`.
    static func encode(_ bytes: [UInt8], into output: inout [UInt8]) {
        output.reserveCapacity(output.count + (bytes.count + 2) / 3 * 4)
        var index = 0
        while index < bytes.count {
            let available = min(3, bytes.count - index)
            var group = UInt32(bytes[index]) << 16
            if available > 1 { group |= UInt32(bytes[index + 1]) << 8 }
            if available > 2 { group |= UInt32(bytes[index + 2]) }
            output.append(alphabet[Int(group >> 18)])
            output.append(alphabet[Int(group >> 12 & 63)])
            output.append(available > 1 ? alphabet[Int(group >> 6 & 63)] : UInt8(ascii: "="))
            output.append(available > 2 ? alphabet[Int(group & 63)] : UInt8(ascii: "="))
            index += 3
        }
    }

    /// Decodes `text`, whose padding may be missing. Returns nil if the text is not base64.
    static func decode(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        var count = text.count
        if count % 4 == 0, count > 0, text[count - 1] == UInt8(ascii: "=") {
            count -= text[count - 2] == UInt8(ascii: "=") ? 2 : 1
        }
        guard count % 4 != 1 else { return nil }
        var output: [UInt8] = []
        output.reserveCapacity(count / 4 * 3 + 2)
        var group: UInt32 = 0
        for index in 0..<count {
            let digit = digits[Int(text[index])]
            guard digit < 64 else { return nil }
            group = group << 6 | UInt32(digit)
            if index % 4 == 3 {
                output.append(UInt8(truncatingIfNeeded: group >> 16))
                output.append(UInt8(truncatingIfNeeded: group >> 8))
                output.append(UInt8(truncatingIfNeeded: group))
            }
        }
        switch count % 4 {
        case 2: output.append(UInt8(truncatingIfNeeded: group >> 4))
        case 3:
            output.append(UInt8(truncatingIfNeeded: group >> 10))
            output.append(UInt8(truncatingIfNeeded: group >> 2))
        default: break
        }
        return output
    }
}
