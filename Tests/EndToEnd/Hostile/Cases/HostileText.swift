import CloudKitWire
import TestGenerators

/// Texts that are invalid, that look like others, or that have a meaning in another language.
enum HostileText {
    private static let strange = [
        "\u{E9}", "e\u{301}", "\u{202E}abc", "\u{FEFF}a", "\u{FFFF}", "\u{7F}", "a\r\nb: c",
        "\u{1F468}\u{200D}\u{1F469}",
        "'; drop table record.record; --", "\" or \"\"=\"", "../../../etc/passwd", "%s%n%x", "$1", "\\", "_defaultZone",
        "_world", "*.#", "a.b.#", " a ", "\u{FDFA}", "a\u{0300}\u{0301}\u{0302}\u{0303}", "a~b%00",
        "amq.rabbitmq.reply-to", "client.a", "zonda.dead", "NaN", "null", "-0", "1e3", "0x10",
    ]
    private static let numbers = [
        "1e400", "-1e400", "1e-400", "9223372036854775807", "9223372036854775808", "-9223372036854775809",
        "18446744073709551616", "0.1e1000000000", "1E+99999999999999999999", "-0", "00", "0x10", "NaN", "Infinity",
        "-Infinity", "1.", ".5", "+1", "1e", String(repeating: "9", count: 10_000),
        "0." + String(repeating: "0", count: 10_000) + "1",
    ]

    /// Returns a JSON value, usually a text in quotes, sometimes a number.
    static func json(_ kind: HostileKind, _ generator: inout SeededGenerator) -> [UInt8] {
        let quote = UInt8(ascii: "\"")
        func quoted(_ text: String) -> [UInt8] { Array(#""\#(text)""#.utf8) }
        switch kind {
        case .hugeNumber: return Array(numbers.drawn(&generator).utf8)
        case .loneSurrogate:
            return quoted(
                [#"\ud800"#, #"a\udc00b"#, #"\ud800\ud800"#, #"\udfff\ud800"#, #"\uZZZZ"#, #"\u12"#].drawn(&generator))
        case .nul where Bool.random(using: &generator): return quoted(#"a\u0000b"#)
        case .strangeText: return JSONValue.string(strange.drawn(&generator)).encoded()
        case .longText:
            let unit = ["a", #"\u0001"#, #"\t"#, "\u{1F600}"].drawn(&generator)
            return quoted(String(repeating: unit, count: [256, 66_000, 1_100_000].drawn(&generator)))
        default: return [quote] + bytes(kind, limit: 1 << 20, &generator) + [quote]
        }
    }

    /// Returns at most `limit` bytes to write in place of a text.
    static func bytes(_ kind: HostileKind, limit: Int, _ generator: inout SeededGenerator) -> [UInt8] {
        let bytes: [UInt8] =
            switch kind {
            case .emptyText: []
            case .nul: [[0], [97, 0, 98], [0, 0, 0, 0]].drawn(&generator)
            case .loneSurrogate: [[0xED, 0xA0, 0x80], [97, 0xED, 0xBF, 0xBF]].drawn(&generator)
            case .invalidUTF8:
                [
                    [0xFF], [0xC0, 0x80], [0x80], [97, 0xE2, 0x82], [0xF8, 0x88, 0x80, 0x80, 0x80],
                    [0xFE, 0xFF, 0, 97],
                ]
                .drawn(&generator)
            case .longText: Array(repeating: [97, 0xC3].drawn(&generator), count: limit)
            case .hugeNumber: Array(numbers.drawn(&generator).utf8)
            default: Array(strange.drawn(&generator).utf8)
            }
        return Array(bytes.prefix(limit))
    }

    /// Returns a body that is invalid as a whole.
    static func body(_ kind: HostileKind, _ text: [UInt8], _ generator: inout SeededGenerator) -> [UInt8] {
        switch kind {
        case .truncated: return Array(text.prefix(Int.random(in: 0...max(0, text.count - 1), using: &generator)))
        case .noObject:
            return Array(
                [
                    "[]", "1", #""a""#, "null", "", "   ", "{}{}", "{}x", "[{}]", "true", "{,}", #"{"a"}"#,
                    "\u{FEFF}{}", "//",
                ]
                .drawn(&generator).utf8)
        case .flippedBytes:
            var text = text
            for _ in 0..<Int.random(in: 1...8, using: &generator) where !text.isEmpty {
                text[Int.random(in: text.indices, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
            }
            return text
        default:
            let string = String(decoding: text, as: UTF8.self)
            let little = string.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
            let big = string.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
            let wide = string.unicodeScalars.flatMap { scalar in (0..<4).map { UInt8(scalar.value >> ($0 * 8) & 0xFF) }
            }
            return [
                [0xFF, 0xFE] + little, [0xFE, 0xFF] + big, little, big, [0xFF, 0xFE, 0, 0] + wide,
                [0xEF, 0xBB, 0xBF] + text,
                Array(string.replacing("o", with: "\u{F6}").unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }),
                [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3] + text,
            ].drawn(&generator)
        }
    }
}
