import AMQPClient
import ArgumentParser
import CommandLineSession
import FoundationEssentials

/// The time from which past notifications are read.
enum WatchStart: Equatable, Sendable {
    /// The beginning of the log.
    case first
    /// A time. The stream is read from the start of the chunk that contains this time. The start might be slightly
    /// earlier.
    case time(Date)

    /// The times of chunks come from the broker's clock. This margin, in seconds, allows for a difference between the
    /// broker's clock and the local clock.
    private static let clockMargin: TimeInterval = 5

    /// Parses `first`, a duration before now (`90s`, `30m`, `1h`), or a time (`2026-01-15T18:00:00Z`, or milliseconds
    /// since 1970).
    ///
    /// - Throws: a `ValidationError` that shows the forms.
    static func parse(_ argument: String) throws -> WatchStart {
        if argument == "first" { return .first }
        if argument.count > 9, let milliseconds = Int64(argument), milliseconds > 0 {
            return .time(Date(timeIntervalSince1970: Double(milliseconds) / 1000))
        }
        if let date = try? Date(argument, strategy: .iso8601) { return .time(date) }
        if argument.last?.isNumber == false, let duration = try? Duration.parse(argument) {
            return .time(Date().addingTimeInterval(-duration.seconds))
        }
        throw ValidationError("'\(argument)' is not a start time: use 1h, 2026-01-15T18:00:00Z or first")
    }

    /// The value of a consumer's `x-stream-offset` argument.
    var offset: AMQPValue {
        switch self {
        case .first: .string("first")
        case .time(let date):
            .timestamp(UInt64(max(0, (date.timeIntervalSince1970 - Self.clockMargin).rounded(.down))))
        }
    }
}
