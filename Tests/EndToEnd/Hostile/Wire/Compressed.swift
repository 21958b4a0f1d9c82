import TestGenerators

/// Compressed bodies that an attacker could send, which are small on the wire.
enum Compressed {
    /// Returns a body and a `Content-Encoding`, which may not match.
    static func body(_ text: [UInt8], _ generator: inout SeededGenerator) -> (bytes: [UInt8], encoding: String?) {
        switch Int.random(in: 0..<10, using: &generator) {
        case 0: (text, "gzip")
        case 1: (text, "br")
        case 2: (text, "identity")
        case 3: (text, "gzip, gzip")
        case 4: ([], "gzip")
        case 5: (zlib(zeros: 1 << 20), "deflate")
        case 6: (zlib(zeros: 40 << 20), "deflate")
        case 7: (zlib(zeros: 1 << 20).dropLast(5), "deflate")
        case 8: (gzip(zeros: 1 << 20), "gzip")
        default: (Array(gzip(zeros: 1 << 20).prefix(9)), "gzip")
        }
    }

    /// Returns zeros in the gzip format, without the end.
    static func gzip(zeros count: Int) -> [UInt8] { [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3] + deflated(zeros: count) }

    /// Returns zeros in the zlib format, complete.
    static func zlib(zeros count: Int) -> [UInt8] {
        // Adler-32: the sum of the bytes plus 1, and the sum of those sums.
        [0x78, 0x9C] + deflated(zeros: count) + BrokerFrame.big(UInt16(count % 65_521)) + [0, 1]
    }

    /// Returns one block with fixed codes: single zeros, and copies of 258 zeros with 13 bits each.
    private static func deflated(zeros count: Int) -> [UInt8] {
        var writer = BitWriter()
        writer.write(0b011, bits: 3)
        let copies = (count - 1) / 258
        // Codes are written with the highest bit first. 0x30 is a zero. 0xC5 is a copy of 258 bytes, followed by the
        // distance 1 in five bits.
        for _ in 0..<count - copies * 258 { writer.write(0x0C, bits: 8) }
        for _ in 0..<copies { writer.write(0xA3, bits: 13) }
        writer.write(0, bits: 7)
        return writer.finished
    }
}

/// Writes bits as deflate packs them, the lowest first.
private struct BitWriter {
    private var bytes: [UInt8] = []
    private var held: UInt32 = 0
    private var count: UInt32 = 0

    mutating func write(_ number: UInt32, bits: UInt32) {
        held |= number << count
        count += bits
        while count >= 8 {
            bytes.append(UInt8(held & 0xFF))
            held >>= 8
            count -= 8
        }
    }

    var finished: [UInt8] { count == 0 ? bytes : bytes + [UInt8(held & 0xFF)] }
}
