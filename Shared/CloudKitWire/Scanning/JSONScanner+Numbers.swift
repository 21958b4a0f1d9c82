internal import CloudKitModel

/// A number as written: its digits, its scale, and whether it has the form of an integer.
struct JSONNumber {
    /// The leading digits, as many as fit in 64 bits.
    var mantissa: UInt64 = 0
    /// The exponent of the power of ten that multiplies `mantissa`.
    var scale = 0
    /// Whether a minus sign precedes the number.
    var isNegative = false
    /// Whether `mantissa` lacks digits that did not fit.
    var isTruncated = false
    /// Whether the number has neither a fraction nor an exponent.
    var isWhole = true
    /// The number's range in the text.
    var range: Range<Int>
}

extension JSONScanner {
    /// Scans a number.
    mutating func number() throws(WireFault) -> JSONNumber {
        guard peek() != nil else { throw unexpected() }
        var number = JSONNumber(range: position..<position)
        let start = position
        if base[position] == UInt8(ascii: "-") {
            number.isNegative = true
            position += 1
        }
        let integerStart = position
        digits(of: &number, areFraction: false)
        guard position > integerStart else { throw unexpected() }
        if base[integerStart] == UInt8(ascii: "0"), position > integerStart + 1 {
            position = integerStart + 1
            throw unexpected()
        }
        if position < count, base[position] == UInt8(ascii: ".") {
            number.isWhole = false
            position += 1
            let fractionStart = position
            digits(of: &number, areFraction: true)
            guard position > fractionStart else { throw unexpected() }
        }
        if position < count, base[position] | 0x20 == UInt8(ascii: "e") {
            number.isWhole = false
            position += 1
            try exponent(of: &number)
        }
        number.range = start..<position
        return number
    }

    @inline(__always)
    private mutating func digits(of number: inout JSONNumber, areFraction: Bool) {
        while position < count {
            let digit = base[position] &- UInt8(ascii: "0")
            guard digit < 10 else { return }
            let (product, overflow) = number.mantissa.multipliedReportingOverflow(by: 10)
            let (sum, carry) = product.addingReportingOverflow(UInt64(digit))
            if overflow || carry || number.isTruncated {
                number.isTruncated = true
                if !areFraction { number.scale += 1 }
            } else {
                number.mantissa = sum
                if areFraction { number.scale -= 1 }
            }
            position += 1
        }
    }

    private mutating func exponent(of number: inout JSONNumber) throws(WireFault) {
        guard position < count else { throw unexpected() }
        var isNegative = false
        if base[position] == UInt8(ascii: "-") || base[position] == UInt8(ascii: "+") {
            isNegative = base[position] == UInt8(ascii: "-")
            position += 1
        }
        let start = position
        var exponent = 0
        while position < count {
            let digit = base[position] &- UInt8(ascii: "0")
            guard digit < 10 else { break }
            // Further digits are ignored, to avoid an overflow. Such exponents are beyond the range of Double anyway.
            if exponent < 100_000 { exponent = exponent * 10 + Int(digit) }
            position += 1
        }
        guard position > start else { throw unexpected() }
        number.scale += isNegative ? -exponent : exponent
    }
}

extension JSONNumber {
    /// The number as a 64-bit integer; nil if it has a fractional part or is out of range. `1.0` and `1e3` are
    /// integers.
    var int64: Int64? {
        guard !isTruncated else { return nil }
        var magnitude = mantissa
        var scale = mantissa == 0 ? 0 : scale
        while scale < 0 {
            guard magnitude % 10 == 0 else { return nil }
            magnitude /= 10
            scale += 1
        }
        while scale > 0 {
            let (product, overflow) = magnitude.multipliedReportingOverflow(by: 10)
            guard !overflow else { return nil }
            magnitude = product
            scale -= 1
        }
        if isNegative { return magnitude <= 1 << 63 ? Int64(truncatingIfNeeded: 0 &- magnitude) : nil }
        return Int64(exactly: magnitude)
    }
}

extension JSONScanner {
    private static let powersOfTen: [Double] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
        1e20, 1e21, 1e22,
    ]

    /// Returns the nearest double. If the digits and the power of ten are both exactly representable, one correctly
    /// rounded operation suffices. Other numbers are parsed by the standard library.
    /// - Throws: A content error if the number is too large, or so small that it would become zero.
    func double(_ number: JSONNumber) throws(WireFault) -> Double {
        if !number.isTruncated, number.mantissa <= 1 << 53, abs(number.scale) <= 22 {
            let digits = Double(number.mantissa)
            let power = Self.powersOfTen[abs(number.scale)]
            let magnitude = number.scale < 0 ? digits / power : digits * power
            return number.isNegative ? -magnitude : magnitude
        }
        let text = String(
            decoding: UnsafeBufferPointer(rebasing: UnsafeBufferPointer(start: base, count: count)[number.range]),
            as: UTF8.self)
        guard let value = Double(text), value.isFinite, value != 0 || number.mantissa == 0 else {
            throw .content(ServerError(.numberOutOfRange, "A number is outside the range of DOUBLE"))
        }
        return value
    }
}
