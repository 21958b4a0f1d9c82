/// Conversion between milliseconds since 1970 and the server's microseconds since 2000.
enum PostgresTimestamp {
    /// 2000-01-01 in milliseconds since 1970-01-01.
    private static let epochMilliseconds: Int64 = 946_684_800_000

    /// Returns the server's form of a time. A time out of range becomes one that the server refuses with SQLSTATE
    /// 22008. It never becomes `infinity` or `-infinity`, which are encoded as the limits of `Int64`.
    static func microseconds(fromMilliseconds milliseconds: Int64) -> Int64 {
        let (sinceEpoch, overflowed) = milliseconds.subtractingReportingOverflow(epochMilliseconds)
        guard !overflowed else { return .min + 1 }
        let (microseconds, tooLarge) = sinceEpoch.multipliedReportingOverflow(by: 1000)
        guard !tooLarge else { return sinceEpoch < 0 ? .min + 1 : .max - 1 }
        return microseconds
    }

    /// Returns a time rounded down to the millisecond; `infinity` and `-infinity` become the limits of `Int64`.
    static func milliseconds(fromMicroseconds microseconds: Int64) -> Int64 {
        if microseconds == .max || microseconds == .min { return microseconds }
        let (quotient, remainder) = microseconds.quotientAndRemainder(dividingBy: 1000)
        return quotient + epochMilliseconds - (remainder < 0 ? 1 : 0)
    }
}
