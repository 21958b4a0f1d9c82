/// The class of a scalar with regard to word boundaries. The cases are those values of Unicode's Word_Break property
/// that affect words.
enum WordClass: UInt8, Sendable {
    /// Ends a word and is never part of one.
    case other
    case letter
    case hebrewLetter
    case katakana
    case digit
    /// Ideographs, Hiragana and letters of scripts that are written without spaces. Each is a word on its own.
    case single
    /// `_` and similar characters, which join the letters and digits on both sides.
    case connector
    /// Marks, joiners and format characters, which belong to the preceding scalar.
    case extend
    /// Part of a word only between letters.
    case midLetter
    /// Part of a word only between digits.
    case midNumber
    /// Part of a word between letters or between digits.
    case midLetterOrNumber
    case singleQuote
    case doubleQuote

    /// Whether a segment that contains this class is a word rather than punctuation.
    var isContent: Bool {
        switch self {
        case .letter, .hebrewLetter, .katakana, .digit, .single: true
        default: false
        }
    }

    var isLetter: Bool { self == .letter || self == .hebrewLetter }
}

/// The classes of all scalars. Scalars of most alphabets are classified by a table; the classes of other scalars are
/// computed from their properties.
struct WordClasses: Sendable {
    /// The shared instance. It is created on first use, which takes a millisecond or two.
    static let all = WordClasses()

    /// The classes of all scalars up to kana, including Latin, Greek, Cyrillic, the alphabets of India and punctuation.
    private let table = (UInt32(0)..<0x3100).map(WordClass.init(classifying:))

    /// The class of the scalar with this value.
    subscript(value: UInt32) -> WordClass {
        value < UInt32(table.count) ? table[Int(value)] : WordClass(classifying: value)
    }
}

extension WordClass {
    fileprivate init(classifying value: UInt32) {
        guard let scalar = Unicode.Scalar(value) else {
            self = .other
            return
        }
        if let named = Self.named(scalar.value) {
            self = named
            return
        }
        let properties = scalar.properties
        let category = properties.generalCategory
        if properties.isGraphemeExtend || category == .spacingMark || category == .format {
            self = .extend
        } else if category == .decimalNumber {
            self = .digit
        } else if category == .connectorPunctuation {
            self = .connector
        } else if properties.isIdeographic || Self.isHiragana(scalar.value) {
            self = .single
        } else if Self.isKatakana(scalar.value) {
            self = .katakana
        } else if properties.isAlphabetic {
            self = Self.isHebrew(scalar.value) ? .hebrewLetter : Self.isUnspaced(scalar.value) ? .single : .letter
        } else {
            self = .other
        }
    }

    /// Returns the class of a scalar that is classified by its value rather than its properties. Most such scalars are
    /// punctuation that can occur within words. The colons in Word_Break are excluded, because a search for `milk`
    /// should find `note:milk`; CLDR also excludes them for all languages except Finnish and Swedish.
    private static func named(_ value: UInt32) -> WordClass? {
        switch value {
        case 0x22: .doubleQuote
        case 0x27: .singleQuote
        case 0x2E, 0x2018, 0x2019, 0x2024, 0xFE52, 0xFF07, 0xFF0E: .midLetterOrNumber
        case 0xB7, 0x387, 0x55F, 0x5F4, 0x2027, 0xFE13: .midLetter
        case 0x2C, 0x3B, 0x37E, 0x589, 0x60C, 0x60D, 0x66B, 0x66C, 0x7F8, 0x2044, 0xFE10, 0xFE14, 0xFE50, 0xFE54,
            0xFF0C, 0xFF1B:
            .midNumber
        case 0x202F: .connector
        // Armenian marks that are written within words, and the Hebrew geresh.
        case 0x55A...0x55C, 0x55E, 0x58A, 0x5F3: .letter
        // Most ideographs. Listing them here avoids looking up their properties.
        case 0x3400...0x4DBF, 0x4E00...0x9FFF: .single
        // The zero width space separates words.
        case 0x200B: .other
        default: nil
        }
    }

    private static func isHebrew(_ value: UInt32) -> Bool {
        (0x5D0...0x5F2).contains(value) || (0xFB1D...0xFB4F).contains(value)
    }

    private static func isKatakana(_ value: UInt32) -> Bool {
        switch value {
        case 0x3031...0x3035, 0x309B...0x309C, 0x30A0...0x30FA, 0x30FC...0x30FF, 0x31F0...0x31FF, 0x32D0...0x32FE,
            0x3300...0x3357, 0xFF66...0xFF9D, 0x1AFF0...0x1AFFF, 0x1B000, 0x1B120...0x1B122, 0x1B155,
            0x1B164...0x1B167:
            true
        default: false
        }
    }

    private static func isHiragana(_ value: UInt32) -> Bool {
        switch value {
        case 0x3041...0x3096, 0x309D...0x309F, 0x1B001...0x1B11F, 0x1B132, 0x1B150...0x1B152, 0x1F200: true
        default: false
        }
    }

    /// Returns whether a scalar is in the Unicode block of a script that is written without spaces: Thai, Lao, Myanmar
    /// with its extensions, Khmer, Tai Le, New Tai Lue, Tai Tham, Tai Viet or Ahom.
    private static func isUnspaced(_ value: UInt32) -> Bool {
        switch value {
        case 0xE00...0xEFF, 0x1000...0x109F, 0x1780...0x17FF, 0x1950...0x19DF, 0x1A20...0x1AAF, 0xA9E0...0xA9FF,
            0xAA60...0xAADF, 0x11700...0x1174F:
            true
        default: false
        }
    }
}
