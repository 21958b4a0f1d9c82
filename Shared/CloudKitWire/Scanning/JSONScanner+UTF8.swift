extension JSONScanner {
    /// Checks that the whole text is well-formed UTF-8, without overlong forms, surrogates or values above U+10FFFF.
    /// Processes ASCII eight bytes at a time.
    func checkUTF8() throws(WireFault) {
        let raw = UnsafeRawPointer(base)
        var index = 0
        while index < count {
            if index + 8 <= count,
                raw.loadUnaligned(fromByteOffset: index, as: UInt64.self) & 0x8080_8080_8080_8080 == 0
            {
                index += 8
            } else if base[index] < 0x80 {
                index += 1
            } else {
                let length = sequenceLength(at: index)
                guard length > 0 else { throw .syntax(.invalidUTF8, offset: index, field: nil) }
                index += length
            }
        }
    }

    /// Returns the length of the well-formed sequence of two to four bytes at `index`; 0 if there is none.
    private func sequenceLength(at index: Int) -> Int {
        let lead = base[index]
        // The range of the second byte excludes overlong forms, surrogates and values above U+10FFFF.
        let length: Int
        var second: ClosedRange<UInt8> = 0x80...0xBF
        switch lead {
        case 0xC2...0xDF: length = 2
        case 0xE0: (length, second) = (3, 0xA0...0xBF)
        case 0xED: (length, second) = (3, 0x80...0x9F)
        case 0xE1...0xEF: length = 3
        case 0xF0: (length, second) = (4, 0x90...0xBF)
        case 0xF1...0xF3: length = 4
        case 0xF4: (length, second) = (4, 0x80...0x8F)
        default: return 0
        }
        guard index + length <= count, second.contains(base[index + 1]) else { return 0 }
        for offset in 2..<max(length, 2) where base[index + offset] & 0xC0 != 0x80 { return 0 }
        return length
    }
}
