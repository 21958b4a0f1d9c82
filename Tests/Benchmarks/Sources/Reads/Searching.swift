internal import Glibc

/// Searches in answers without parsing them into trees, because the program shares the machine with the services that
/// it measures.
extension [UInt8] {
    /// Returns the index of the first occurrence of `text`; nil if there is none.
    func firstIndex(of text: StaticString) -> Int? { index(of: text, from: 0) }

    /// Returns the number of occurrences of `text`.
    func occurrences(of text: StaticString) -> Int {
        var (count, start) = (0, 0)
        while let found = index(of: text, from: start) {
            count += 1
            start = found + text.utf8CodeUnitCount
        }
        return count
    }

    private func index(of text: StaticString, from start: Int) -> Int? {
        withUnsafeBytes { bytes -> Int? in
            let last = bytes.count - text.utf8CodeUnitCount
            var position = start
            while position <= last, let base = bytes.baseAddress,
                let found = memchr(base + position, Int32(text.utf8Start.pointee), last - position + 1)
            {
                if memcmp(found, text.utf8Start, text.utf8CodeUnitCount) == 0 { return UnsafeRawPointer(found) - base }
                position = UnsafeRawPointer(found) - base + 1
            }
            return nil
        }
    }
}
