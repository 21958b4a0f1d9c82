import FoundationEssentials

/// The current time, and times as text.
package enum Moment {
    /// The current time, in milliseconds since 1970.
    package static var now: Int64 { Int64((Date().timeIntervalSince1970 * 1000).rounded(.down)) }

    /// Formats milliseconds since 1970 as `2026-01-15T18:00:00Z`, with a fraction of a second only if it is not zero.
    package static func text(_ milliseconds: Int64) -> String {
        Date(timeIntervalSince1970: Double(milliseconds) / 1000)
            .formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: milliseconds % 1000 != 0))
    }
}
