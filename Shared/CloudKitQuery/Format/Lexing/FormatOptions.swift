internal import CloudKitModel

/// The letters in brackets after an operator, each with its position.
struct FormatOptions {
    /// `c` and `d` apply to strings; `l` (locale) and `n` (normalised) are always in effect for searches by words.
    static let known = "cdln"

    var letters: [(letter: Character, position: String.Index)] = []

    /// Converts the options of a comparison with `values`.
    ///
    /// - Throws: For a letter that applies only to searches, or if any value is not a string.
    func forTexts(_ values: [FieldValue]) throws(FormatFault) -> TextOptions {
        var options: TextOptions = []
        for (letter, position) in letters {
            switch letter {
            case "c": options.insert(.caseInsensitive)
            case "d": options.insert(.diacriticInsensitive)
            default: throw FormatFault("the option '\(letter)' is only supported with TOKENMATCHES", at: position)
            }
            guard values.allSatisfy({ if case .string = $0 { true } else { false } }) else {
                throw FormatFault("the option '\(letter)' is only for texts", at: position)
            }
        }
        return options
    }

    /// Checks that there are no options for `form`.
    func refuse(with form: String) throws(FormatFault) {
        guard let (letter, position) = letters.first else { return }
        throw FormatFault("the option '\(letter)' is not supported with \(form)", at: position)
    }
}
