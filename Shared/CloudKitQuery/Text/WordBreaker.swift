/// A state machine that finds the words in text, scalar by scalar, following rules WB4 to WB13b of UAX #29. The rules
/// for line ends, white space, flags and pictographs are omitted, because they concern only boundaries outside words.
///
/// The position is outside a word (`last` is `other`), within a word, or after punctuation (`joiner`) that follows a
/// word and belongs to it only if a suitable scalar comes next. If any other scalar comes next, the word ended before
/// the punctuation.
struct WordBreaker {
    private var start = 0
    private var end = 0
    private var last = WordClass.other
    private var joiner: WordClass?
    private var hasContent = false

    /// Consumes the next scalar, which is of `wordClass` and occupies the bytes in `range`.
    ///
    /// - Returns: The bytes of the word that ended before the scalar; nil if no word ended before it.
    mutating func take(_ wordClass: WordClass, _ range: Range<Int>) -> Range<Int>? {
        if wordClass == .extend {
            // The scalar belongs to the word, or to punctuation that might turn out to be part of the word.
            if last != .other, end == range.lowerBound { end = range.upperBound }
            return nil
        }
        if joins(wordClass) {
            joiner = nil
            extend(with: wordClass, to: range.upperBound)
            return nil
        }
        if joiner == nil, mayJoin(wordClass) {
            joiner = wordClass
            if last == .hebrewLetter, wordClass == .singleQuote { end = range.upperBound }
            return nil
        }
        let word = finish()
        if wordClass.isContent || wordClass == .connector {
            start = range.lowerBound
            extend(with: wordClass, to: range.upperBound)
        }
        return word
    }

    /// Consumes ASCII letters and digits that follow a letter or a digit and therefore belong to the same word.
    mutating func continueWord(endingInDigit: Bool, at offset: Int) {
        end = offset
        last = endingInDigit ? .digit : .letter
    }

    /// Ends the current word. Must be called at the end of the text.
    ///
    /// - Returns: The bytes of the word that ended; nil if the position is outside a word.
    mutating func finish() -> Range<Int>? {
        let word = hasContent ? start..<end : nil
        last = .other
        joiner = nil
        hasContent = false
        return word
    }

    private mutating func extend(with wordClass: WordClass, to offset: Int) {
        end = offset
        last = wordClass
        if wordClass.isContent { hasContent = true }
    }

    /// Returns whether a scalar continues the word, either directly (WB5, WB8 to WB10, WB13) or together with the
    /// punctuation before it (WB7, WB7c, WB11).
    private func joins(_ next: WordClass) -> Bool {
        if let joiner {
            return switch joiner {
            case .midLetter: last.isLetter && next.isLetter
            case .midNumber: last == .digit && next == .digit
            case .doubleQuote: last == .hebrewLetter && next == .hebrewLetter
            default: last.isLetter && next.isLetter || last == .digit && next == .digit
            }
        }
        return switch next {
        case .letter, .hebrewLetter, .digit: last.isLetter || last == .digit || last == .connector
        case .katakana: last == .katakana || last == .connector
        case .connector: last.isContent && last != .single || last == .connector
        default: false
        }
    }

    /// Returns whether a scalar continues the word, provided that a suitable scalar follows (WB6, WB7b, WB12).
    private func mayJoin(_ next: WordClass) -> Bool {
        switch next {
        case .midLetter: last.isLetter
        case .midNumber: last == .digit
        case .midLetterOrNumber, .singleQuote: last.isLetter || last == .digit
        case .doubleQuote: last == .hebrewLetter
        default: false
        }
    }
}
