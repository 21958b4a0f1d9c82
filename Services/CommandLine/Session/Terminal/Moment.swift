import FoundationEssentials

/// Moments, and how people read them.
package enum Moment {
    /// The milliseconds since 1970.
    package static var now: Int64 { Int64((Date().timeIntervalSince1970 * 1000).rounded(.down)) }

    /// `2026-01-15T18:00:00Z` of milliseconds since 1970; fractions of a second only where there are some.
    package static func text(_ milliseconds: Int64) -> String {
        Date(timeIntervalSince1970: Double(milliseconds) / 1000)
            .formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: milliseconds % 1000 != 0))
    }
}
