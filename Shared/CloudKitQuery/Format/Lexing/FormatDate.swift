/// Dates in predicate formats, in milliseconds since 1970.
enum FormatDate {
    /// 2001-01-01, the reference date from which formats count seconds.
    private static let referenceDate: Int128 = 978_307_200_000

    /// Returns the date that is `seconds` after 2001-01-01; nil if it is out of range for a timestamp.
    static func milliseconds(since2001 seconds: DecimalText) -> Int64? {
        seconds.thousandths.flatMap { Int64(exactly: $0 + referenceDate) }
    }

    /// Returns the exact number of seconds from 2001-01-01 to `milliseconds`, in decimal.
    static func secondsSince2001(_ milliseconds: Int64) -> String {
        let thousandths = Int128(milliseconds) - referenceDate
        let (seconds, rest) = thousandths.magnitude.quotientAndRemainder(dividingBy: 1000)
        var text = (thousandths < 0 ? "-" : "") + String(seconds)
        guard rest != 0 else { return text }
        text += "." + String(rest + 1000).dropFirst()
        while text.last == "0" { text.removeLast() }
        return text
    }

    /// Parses a date such as `2026-01-15T18:00:00Z`. Seconds and their fraction are optional, and the time zone is `Z`
    /// or an offset such as `+01:00`. Fractions are rounded to milliseconds. Returns nil for anything else and for
    /// dates that do not exist.
    static func milliseconds(iso8601 text: String) -> Int64? {
        var reader = DigitReader(text)
        guard let year = reader.number(4), reader.skip("-"), let month = reader.number(2, in: 1...12),
            reader.skip("-"), let day = reader.number(2, in: 1...daysOfMonth(month, year)), reader.skip("T"),
            let hour = reader.number(2, in: 0...23), reader.skip(":"), let minute = reader.number(2, in: 0...59)
        else { return nil }
        var thousandths: Int64 = 0
        if reader.skip(":") {
            guard let second = reader.second() else { return nil }
            thousandths = second
        }
        guard let offset = reader.offset(), reader.isAtEnd else { return nil }
        let minutes = Int64(daysSince1970(year, month, day)) * 1440 + Int64(hour * 60 + minute - offset)
        return minutes * 60_000 + thousandths
    }

    private static func daysOfMonth(_ month: Int, _ year: Int) -> Int {
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        switch month {
        case 2: return isLeap ? 29 : 28
        case 4, 6, 9, 11: return 30
        default: return 31
        }
    }

    /// Returns the number of days from 1970-01-01 to a date in the proleptic Gregorian calendar. The computation starts
    /// years in March, so that a leap day is the last day of its year.
    private static func daysSince1970(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let marchYear = month > 2 ? year : year - 1
        let era = (marchYear >= 0 ? marchYear : marchYear - 399) / 400
        let yearOfEra = marchYear - era * 400
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}

/// Reads numbers with a fixed number of digits from the start of a string.
private struct DigitReader {
    private var rest: Substring.UTF8View

    init(_ text: String) { rest = text[...].utf8 }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func skip(_ scalar: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: scalar) else { return false }
        rest.removeFirst()
        return true
    }

    mutating func number(_ count: Int, in range: ClosedRange<Int> = 0...9999) -> Int? {
        let digits = rest.prefix(count)
        guard digits.count == count, digits.allSatisfy({ (0x30...0x39).contains($0) }),
            let number = Int(Substring(digits)), range.contains(number)
        else { return nil }
        rest = rest[digits.endIndex...]
        return number
    }

    /// Parses seconds with an optional fraction, and returns them in milliseconds.
    mutating func second() -> Int64? {
        let digits = rest.prefix { (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }
        guard number(2, in: 0...59) != nil else { return nil }
        if skip("."), rest.startIndex == digits.endIndex { return nil }
        rest = rest[digits.endIndex...]
        return DecimalText(Substring(digits))?.thousandths.flatMap { Int64(exactly: $0) }
    }

    /// Parses an offset from UTC, and returns it in minutes.
    mutating func offset() -> Int? {
        if skip("Z") { return 0 }
        let isBehind = rest.first == UInt8(ascii: "-")
        guard skip("+") || skip("-"), let hours = number(2, in: 0...23) else { return nil }
        _ = skip(":")
        guard let minutes = number(2, in: 0...59) else { return nil }
        return (hours * 60 + minutes) * (isBehind ? -1 : 1)
    }
}
