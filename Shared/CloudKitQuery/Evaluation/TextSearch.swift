/// Finds a substring in time linear in the sum of both lengths, for any input (Knuth, Morris and Pratt).
enum TextSearch {
    /// Returns whether the bytes of `part` occur in `text`.
    static func finds(_ part: String, in text: String) -> Bool {
        var (part, text) = (part, text)
        return part.withUTF8 { part in text.withUTF8 { text in finds(part, in: text) } }
    }

    private static func finds(_ part: UnsafeBufferPointer<UInt8>, in text: UnsafeBufferPointer<UInt8>) -> Bool {
        guard !part.isEmpty else { return true }
        guard part.count <= text.count else { return false }
        let borders = borders(of: part)
        var matched = 0
        for byte in text {
            while matched > 0, part[matched] != byte { matched = borders[matched - 1] }
            if part[matched] == byte { matched += 1 }
            if matched == part.count { return true }
        }
        return false
    }

    /// Returns, for each prefix of `part`, the length of the longest proper suffix of that prefix that is also a prefix
    /// of `part`.
    private static func borders(of part: UnsafeBufferPointer<UInt8>) -> [Int] {
        var borders = [Int](repeating: 0, count: part.count)
        var length = 0
        for index in part.indices.dropFirst() {
            while length > 0, part[index] != part[length] { length = borders[length - 1] }
            if part[index] == part[length] { length += 1 }
            borders[index] = length
        }
        return borders
    }
}
