internal import Foundation

/// Texts without what is of no account when they are compared, and the order of texts.
///
/// What is stored is folded by PostgreSQL, for indexes, and what is asked for is folded here: both must come to the same
/// scalars. These are the expressions, in a database in UTF-8, where `und-x-icu` is Unicode's casing without a language:
///
/// - `[c]`: `replace(lower(x collate "und-x-icu"), 'ς', 'σ')`
/// - `[d]`: `regexp_replace(normalize(x, NFD), '[\u0300-\u036F]', '', 'g')`
/// - `[cd]`: the second of the first.
///
/// They differ for scalars that one side's version of Unicode does not have yet, and for no others.
package enum TextFolding {
    /// `text` without regard to what `options` say: in lower case (`[c]`), decomposed and without combining diacritical
    /// marks (`[d]`). Ligatures, width and the like stay.
    ///
    /// One pass and one copy: about ten nanoseconds for a scalar, much less for ASCII, a microsecond for scripts outside of
    /// the basic multilingual plane. The first text that is not ASCII makes a table.
    package static func fold(_ text: String, _ options: TextOptions) -> String {
        guard !options.isEmpty else { return text }
        var folded = text
        return folded.withUTF8 { bytes in
            bytes.isASCII ? foldASCII(bytes, options) : FoldingTable.table(options)?.fold(bytes) ?? text
        }
    }

    /// Whether both are the same scalars. `==` takes canonically equivalent texts for equal, PostgreSQL does not.
    package static func equalBytes(_ one: String, _ other: String) -> Bool {
        one.utf8.count == other.utf8.count && one.utf8.elementsEqual(other.utf8)
    }

    /// Whether `one` comes before `other` by code points: PostgreSQL's collation "C".
    package static func precedes(_ one: String, _ other: String) -> Bool {
        one.utf8.lexicographicallyPrecedes(other.utf8)
    }

    private static func foldASCII(_ text: UnsafeBufferPointer<UInt8>, _ options: TextOptions) -> String {
        guard options.contains(.caseInsensitive) else { return String(decoding: text, as: UTF8.self) }
        return String(unsafeUninitializedCapacity: text.count) { folded in
            for index in text.indices {
                let byte = text[index]
                folded[index] = byte &- UInt8(ascii: "A") < 26 ? byte | 0x20 : byte
            }
            return text.count
        }
    }

    /// The definition of ``fold(_:_:)``, step by step, for short texts.
    static func foldAsWritten(_ text: String, _ options: TextOptions) -> String {
        var folded = text
        if options.contains(.caseInsensitive) { folded = String(scalars: lowercased(folded)) }
        if options.contains(.diacriticInsensitive) {
            let decomposed = String(scalars: takingVowelsApart(folded)).decomposedStringWithCanonicalMapping
            folded = String(scalars: decomposed.unicodeScalars.filter { !(0x300...0x36F).contains($0.value) })
        }
        return folded
    }

    /// Scalar by scalar: the only rule of casing that looks further is of the sigma at a word's end.
    private static func lowercased(_ text: String) -> [Unicode.Scalar] {
        text.unicodeScalars.reduce(into: []) { scalars, scalar in
            switch scalar {
            case "Σ", "ς": scalars.append("σ")
            case _ where scalar.properties.changesWhenLowercased:
                scalars += scalar.properties.lowercaseMapping.unicodeScalars
            default: scalars.append(scalar)
            }
        }
    }

    /// Three Tibetan vowels are two marks each, and Foundation leaves those where they are among other marks.
    private static func takingVowelsApart(_ text: String) -> [Unicode.Scalar] {
        text.unicodeScalars.reduce(into: []) { scalars, scalar in
            switch scalar {
            case "\u{F73}": scalars += ["\u{F71}", "\u{F72}"]
            case "\u{F75}": scalars += ["\u{F71}", "\u{F74}"]
            case "\u{F81}": scalars += ["\u{F71}", "\u{F80}"]
            default: scalars.append(scalar)
            }
        }
    }
}
