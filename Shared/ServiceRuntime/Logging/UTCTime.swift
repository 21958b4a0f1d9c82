internal import Foundation

/// A time in the format of RFC 3339, in UTC with milliseconds: `2026-11-21T10:00:00.123Z`. It does not use Foundation's
/// formatters, which take several microseconds.
struct UTCTime: CustomStringConvertible {
    /// The current time, in milliseconds since 1970.
    static var now: Int64 { Int64((Date().timeIntervalSince1970 * 1000).rounded(.down)) }

    /// Milliseconds since 1970.
    let milliseconds: Int64

    var description: String {
        let (days, inDay) = Self.divided(milliseconds, by: 86_400_000)
        let (year, month, day) = Self.date(days)
        let (hour, minute, second) = (inDay / 3_600_000, inDay / 60_000 % 60, inDay / 1000 % 60)
        let date = "\(Self.digits(year, 4))-\(Self.digits(month, 2))-\(Self.digits(day, 2))"
        let time = "\(Self.digits(hour, 2)):\(Self.digits(minute, 2)):\(Self.digits(second, 2))"
        return "\(date)T\(time).\(Self.digits(inDay % 1000, 3))Z"
    }

    /// Returns the Gregorian date of a day, given as the number of days since 1970-01-01 (Howard Hinnant's
    /// `civil_from_days`). Years begin in March, so that the leap day comes last. Years are counted in eras of 400
    /// years, which are all of equal length.
    private static func date(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let (era, dayOfEra) = divided(days + 719_468, by: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        return (
            yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        )
    }

    private static func divided(_ number: Int64, by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let remainder = (number % divisor + divisor) % divisor
        return ((number - remainder) / divisor, remainder)
    }

    private static func digits(_ number: Int64, _ count: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, count - digits.count)) + digits
    }
}
