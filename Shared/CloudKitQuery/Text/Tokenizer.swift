/// Cuts texts into the words by which they are found (semantics 7.5): those of UAX #29, without regard to case and
/// accents, as Lucene's StandardAnalyzer does. No stems, no parts of words.
///
/// Linear in the text: ten to twenty nanoseconds for a byte of English, more for other alphabets, most of it for telling
/// the words apart.
package enum Tokenizer {
    /// The most scalars of a word that are kept; words that begin with the same are the same.
    package static let maxWordScalars = 255

    /// What a search does not look for. They are indexed like any word, so that the list can change.
    package static let stopWords: Set<String> = [
        "a", "an", "and", "are", "as", "at", "be", "but", "by", "for", "if", "in", "into", "is", "it", "no", "not",
        "of", "on", "or", "such", "that", "the", "their", "then", "there", "these", "they", "this", "to", "was", "will",
        "with",
    ]

    /// The words of a text that is to be found, folded, each once, in the order in which they first appear.
    package static func words(in text: String) -> [String] {
        // Folding first is folding once, and moves no boundary: what it removes belongs to the letter before it.
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
                // Most of what follows does not need to be classified.
                let run = index
                while index < bytes.count, bytes[index].isLowercaseOrDigit { index += 1 }
                if index > run { breaker.continueWord(endingInDigit: bytes[index - 1].isDigit, at: index) }
            }
            if let word = breaker.finish() { words.append(word) }
            return words.words
        }
    }

    /// The words that a search for `text` looks for: none if it has only stop words.
    package static func query(_ text: String) -> [String] { words(in: text).filter { !stopWords.contains($0) } }
}

/// The words of a text in UTF-8, each once.
private struct DistinctWords {
    private let text: UnsafeBufferPointer<UInt8>
    private var known: Set<Word> = []
    private(set) var words: [String] = []

    init(_ text: UnsafeBufferPointer<UInt8>) {
        self.text = text
        // For most notes and titles, no growing.
        let expected = min(text.count / 6, 256)
        known.reserveCapacity(expected)
        words.reserveCapacity(expected)
    }

    mutating func append(_ range: Range<Int>) {
        let word = String(decoding: text[range.lowerBound..<bound(of: range)], as: UTF8.self)
        if known.insert(Word(text: word)).inserted { words.append(word) }
    }

    /// Where the word in `range` ends, or where it has as many scalars as are kept.
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

/// A word as its bytes: texts are hashed by what they are canonically equivalent to, which takes long.
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
