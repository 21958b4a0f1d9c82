/// A tokenizer that splits text into the words by which searches find it (semantics 7.5). As in Lucene's
/// StandardAnalyzer, these are the words of UAX #29, ignoring case and accents. Words are not stemmed, and parts of
/// words do not match.
///
/// The cost is linear in the length of the text: ten to twenty nanoseconds per byte of English text, and more for other
/// alphabets. Most of the time is spent on removing duplicate words.
package enum Tokenizer {
    /// The maximum number of scalars in a word. Longer words are truncated, so words that differ only beyond this
    /// length are considered equal.
    package static let maxWordScalars = 255

    /// The words that searches ignore. They are indexed like other words, so that the list can change.
    package static let stopWords: Set<String> = [
        "a", "an", "and", "are", "as", "at", "be", "but", "by", "for", "if", "in", "into", "is", "it", "no", "not",
        "of", "on", "or", "such", "that", "the", "their", "then", "there", "these", "they", "this", "to", "was", "will",
        "with",
    ]

    /// Returns the words of `text` for an index: folded, without duplicates, in order of first occurrence.
    package static func words(in text: String) -> [String] {
        // The whole text is folded before it is split. This does not move word boundaries, because each removed scalar
        // belongs to the preceding letter.
        var text = TextFolding.fold(text, [.caseInsensitive, .diacriticInsensitive])
        return text.withUTF8 { bytes in
            var words = DistinctWords(bytes)
            var breaker = WordBreaker()
            let classes = WordClasses.all
            var index = 0
            while index < bytes.count {
                let start = index
                let wordClass = classes[bytes.scalarValue(at: &index)]
                if let word = breaker.take(wordClass, start..<index) { words.append(word) }
                guard wordClass == .letter || wordClass == .digit else { continue }
                // ASCII letters and digits that follow belong to the word and are skipped without classification.
                let run = index
                while index < bytes.count, bytes[index].isLowercaseOrDigit { index += 1 }
                if index > run { breaker.continueWord(endingInDigit: bytes[index - 1].isDigit, at: index) }
            }
            if let word = breaker.finish() { words.append(word) }
            return words.words
        }
    }

    /// Returns the words of the search text `text`, without stop words.
    package static func query(_ text: String) -> [String] { words(in: text).filter { !stopWords.contains($0) } }
}

/// The distinct words of UTF-8 text.
private struct DistinctWords {
    private let text: UnsafeBufferPointer<UInt8>
    private var known: Set<Word> = []
    private(set) var words: [String] = []

    init(_ text: UnsafeBufferPointer<UInt8>) {
        self.text = text
        // This capacity suffices for most notes and titles.
        let expected = min(text.count / 6, 256)
        known.reserveCapacity(expected)
        words.reserveCapacity(expected)
    }

    mutating func append(_ range: Range<Int>) {
        let word = String(decoding: text[range.lowerBound..<bound(of: range)], as: UTF8.self)
        if known.insert(Word(text: word)).inserted { words.append(word) }
    }

    /// Returns the end of the word in `range` after it is truncated to ``Tokenizer/maxWordScalars``.
    private func bound(of range: Range<Int>) -> Int {
        guard range.count > Tokenizer.maxWordScalars else { return range.upperBound }
        var scalars = 0
        for index in range where !text[index].continuesScalar {
            guard scalars < Tokenizer.maxWordScalars else { return index }
            scalars += 1
        }
        return range.upperBound
    }
}

/// A word compared by its bytes. `String` hashes by canonical equivalence, which is slow.
private struct Word: Hashable {
    let text: String

    static func == (one: Word, other: Word) -> Bool { TextFolding.equalBytes(one.text, other.text) }

    func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

extension UInt8 {
    fileprivate var isDigit: Bool { self &- UInt8(ascii: "0") < 10 }

    fileprivate var isLowercaseOrDigit: Bool { self &- UInt8(ascii: "a") < 26 || isDigit }
}
