internal import Foundation

/// S3's time formats, all in UTC.
enum S3Time {
    /// A time in signatures: `20130524T000000Z`.
    struct Stamp: Sendable {
        let text: String
        /// The first eight digits.
        var day: String { String(text.prefix(8)) }

        init(_ date: Date) {
            text = date.formatted(
                Date.ISO8601FormatStyle(dateSeparator: .omitted, timeSeparator: .omitted, timeZone: .gmt))
        }
    }

    /// Parses a time from a listing, such as `2009-10-12T17:50:30.000Z`, and drops the fraction of a second; nil if the
    /// time is malformed.
    static func listed(_ text: String) -> Date? {
        guard let seconds = text.split(separator: ".").first, text.hasSuffix("Z") else { return nil }
        let whole = seconds.hasSuffix("Z") ? String(seconds) : "\(seconds)Z"
        return try? Date(whole, strategy: .iso8601)
    }

    /// Parses the time in a `Date` header, such as `Fri, 24 May 2013 00:00:00 GMT`; nil if the time is malformed.
    static func header(_ text: String) -> Date? {
        let parts = text.split(separator: " ")
        guard parts.count == 6, parts[5] == "GMT", parts[1].count == 2, parts[3].count == 4, parts[4].count == 8,
            let month = months.firstIndex(of: String(parts[2]))
        else { return nil }
        let number = month < 9 ? "0\(month + 1)" : "\(month + 1)"
        return try? Date("\(parts[3])-\(number)-\(parts[1])T\(parts[4])Z", strategy: .iso8601)
    }

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
}
