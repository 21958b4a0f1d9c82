internal import CloudKitModel

/// The letters between brackets after an operator, each with its place.
struct FormatOptions {
    /// `c` and `d` are of texts; `l` (locale) and `n` (normalised) are what a search by words does anyway.
    static let known = "cdln"

    var letters: [(letter: Character, position: String.Index)] = []

    /// What is of no account in a comparison with `values`.
    ///
    /// - Throws: for a letter that is of searches only, or if there is anything but texts.
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

    /// Checks that there are none, in front of `form`.
    func refuse(with form: String) throws(FormatFault) {
        guard let (letter, position) = letters.first else { return }
        throw FormatFault("the option '\(letter)' is not supported with \(form)", at: position)
    }
}
