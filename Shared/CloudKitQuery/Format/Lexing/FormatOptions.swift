internal import CloudKitModel

/// The option letters in brackets after an operator, each with its position.
struct FormatOptions {
    /// `c` and `d` apply to strings; `l` (locale) and `n` (normalized) are allowed only in searches for words, where
    /// they always apply.
    static let known = "cdln"

    var letters: [(letter: Character, position: String.Index)] = []

    /// Converts the options of a comparison with `values`.
    ///
    /// - Throws: An error for a letter that applies only to searches, or for any letter if a value is not a string.
    func forTexts(_ values: [FieldValue]) throws(FormatFault) -> TextOptions {
        var options: TextOptions = []
        for (letter, position) in letters {
            switch letter {
            case "c": options.insert(.caseInsensitive)
            case "d": options.insert(.diacriticInsensitive)
            default: throw FormatFault("the option '\(letter)' is supported only with TOKENMATCHES", at: position)
            }
            guard values.allSatisfy({ if case .string = $0 { true } else { false } }) else {
                throw FormatFault("the option '\(letter)' is supported only with strings", at: position)
            }
        }
        return options
    }

    /// Checks that no options are given, because `form` does not support any.
    func refuse(with form: String) throws(FormatFault) {
        guard let (letter, position) = letters.first else { return }
        throw FormatFault("the option '\(letter)' is not supported with \(form)", at: position)
    }
}
