internal import Foundation

/// Functions that order strings, and that fold them to remove the differences that a comparison ignores.
///
/// PostgreSQL folds stored strings for indexes; this type folds the strings of queries. Both must produce the same
/// scalars. In a UTF-8 database, PostgreSQL evaluates the following expressions, where `und-x-icu` is Unicode's
/// language-independent casing:
///
/// - `[c]`: `replace(lower(x collate "und-x-icu"), 'ς', 'σ')`
/// - `[d]`: `regexp_replace(normalize(x, NFD), '[\u0300-\u036F]', '', 'g')`
/// - `[cd]`: the expression for `[d]`, applied to the result of the expression for `[c]`.
///
/// The results differ only for scalars that are not yet defined in the version of Unicode that one side uses.
package enum TextFolding {
    /// Folds `text` according to `options`. `[c]` converts it to lower case; `[d]` decomposes it and removes combining
    /// diacritical marks. Ligatures, width variants and similar differences are preserved.
    ///
    /// Makes one pass and one copy. The cost per scalar is about ten nanoseconds, much less for ASCII, and about a
    /// microsecond for scripts outside the basic multilingual plane. The first time a string that is not ASCII is
    /// folded, a table is created as well.
    package static func fold(_ text: String, _ options: TextOptions) -> String {
        guard !options.isEmpty else { return text }
        var folded = text
        return folded.withUTF8 { bytes in
            bytes.isASCII ? foldASCII(bytes, options) : FoldingTable.table(options)?.fold(bytes) ?? text
        }
    }

    /// Returns whether both strings have the same scalars, as PostgreSQL compares them. In contrast, `==` considers
    /// canonically equivalent strings equal.
    package static func equalBytes(_ one: String, _ other: String) -> Bool {
        one.utf8.count == other.utf8.count && one.utf8.elementsEqual(other.utf8)
    }

    /// Returns whether `one` precedes `other` by code points, as in PostgreSQL's collation "C".
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

    /// Folds a short string step by step. This is the reference implementation of ``fold(_:_:)``.
    static func foldAsWritten(_ text: String, _ options: TextOptions) -> String {
        var folded = text
        if options.contains(.caseInsensitive) { folded = String(scalars: lowercased(folded)) }
        if options.contains(.diacriticInsensitive) {
            let decomposed = String(scalars: takingVowelsApart(folded)).decomposedStringWithCanonicalMapping
            folded = String(scalars: decomposed.unicodeScalars.filter { !(0x300...0x36F).contains($0.value) })
        }
        return folded
    }

    /// Converts a string to lower case, scalar by scalar. The only casing rule that depends on context is the one for a
    /// sigma at the end of a word. Here, every sigma becomes `σ`.
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

    /// Decomposes three Tibetan vowels into two marks each, because Foundation does not reorder them among other marks.
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
