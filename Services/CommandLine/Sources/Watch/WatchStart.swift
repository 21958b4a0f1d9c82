import AMQPClient
import ArgumentParser
import CommandLineSession
import FoundationEssentials

/// From when past notifications are read.
enum WatchStart: Equatable, Sendable {
    /// Everything that is there.
    case first
    /// What was published then or later; a stream begins with a chunk, which may be a little earlier.
    case time(Date)

    /// A chunk has the time at which it was written, by the broker's clock.
    private static let clockMargin: TimeInterval = 5

    /// Reads `first`, a time ago (`90s`, `30m`, `1h`), or a time (`2026-01-15T18:00:00Z`, or milliseconds since 1970).
    ///
    /// - Throws: a `ValidationError` that shows the spellings.
    static func parse(_ argument: String) throws -> WatchStart {
        if argument == "first" { return .first }
        if argument.count > 9, let milliseconds = Int64(argument), milliseconds > 0 {
            return .time(Date(timeIntervalSince1970: Double(milliseconds) / 1000))
        }
        if let date = try? Date(argument, strategy: .iso8601) { return .time(date) }
        if argument.last?.isNumber == false, let duration = try? Duration.parse(argument) {
            return .time(Date().addingTimeInterval(-duration.seconds))
        }
        throw ValidationError("'\(argument)' is no beginning; write 1h, 2026-01-15T18:00:00Z or first")
    }

    /// As a stream's consumer says it.
    var offset: AMQPValue {
        switch self {
        case .first: .string("first")
        case .time(let date):
            .timestamp(UInt64(max(0, (date.timeIntervalSince1970 - Self.clockMargin).rounded(.down))))
        }
    }
}
