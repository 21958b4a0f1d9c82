/// A decimal number that retains all digits of the text from which it was parsed.
struct DecimalText {
    private var isNegative = false
    /// The digits without the decimal point and leading zeros.
    private var digits: [UInt8] = []
    /// The exponent of the power of ten that the last digit represents.
    private var exponent = 0

    /// Parses `[+-] digits [. digits] [e [+-] digits]`, with at least one digit before or after the point. Returns nil
    /// for anything else.
    init?(_ text: some StringProtocol) {
        var rest = Substring(text).utf8[...]
        isNegative = rest.first == UInt8(ascii: "-")
        if let sign = rest.first, sign == UInt8(ascii: "+") || isNegative { rest.removeFirst() }
        let whole = Self.takeDigits(&rest)
        var fraction = rest.prefix(0)
        if rest.first == UInt8(ascii: ".") {
            rest.removeFirst()
            fraction = Self.takeDigits(&rest)
        }
        guard !(whole.isEmpty && fraction.isEmpty) else { return nil }
        digits = (Array(whole) + fraction).drop { $0 == UInt8(ascii: "0") }.map { $0 - UInt8(ascii: "0") }
        exponent = -fraction.count
        if let letter = rest.first, letter | 0x20 == UInt8(ascii: "e") {
            rest.removeFirst()
            guard let power = Self.exponent(&rest) else { return nil }
            exponent += power
        }
        guard rest.isEmpty else { return nil }
    }

    private static func takeDigits(_ rest: inout Substring.UTF8View) -> Substring.UTF8View {
        let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        rest = rest[digits.endIndex...]
        return digits
    }

    /// Parses an exponent. The result is capped at a million, because larger exponents have the same effect.
    private static func exponent(_ rest: inout Substring.UTF8View) -> Int? {
        let isNegative = rest.first == UInt8(ascii: "-")
        if let sign = rest.first, sign == UInt8(ascii: "+") || isNegative { rest.removeFirst() }
        let digits = takeDigits(&rest)
        guard !digits.isEmpty else { return nil }
        let power = min(Int(Substring(digits)) ?? .max, 1_000_000)
        return isNegative ? -power : power
    }

    /// The number times a thousand, rounded to the nearest integer, with halves rounded away from zero; nil if the
    /// number has more than 24 digits before the point.
    var thousandths: Int128? {
        guard !digits.isEmpty else { return 0 }
        let wholeDigits = digits.count + exponent + 3
        guard wholeDigits >= 0 else { return 0 }
        guard wholeDigits <= 27 else { return nil }
        var magnitude: Int128 = 0
        for place in 0..<wholeDigits { magnitude = magnitude * 10 + Int128(place < digits.count ? digits[place] : 0) }
        if wholeDigits < digits.count, digits[wholeDigits] >= 5 { magnitude += 1 }
        return isNegative ? -magnitude : magnitude
    }
}
