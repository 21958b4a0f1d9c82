internal import CloudKitModel
internal import CloudKitWire

/// The body of `notifications.replay`: `{"since": milliseconds | "1h", "zones"?, "limit"?, "after"?}`.
struct ReplayRequest: Sendable, Equatable {
    /// The beginning of a replay.
    enum Start: Sendable, Equatable {
        /// The notifications that were published at this time or later, in milliseconds since 1970.
        case time(Int64)
        /// The notifications after the marker of an earlier page.
        case after(Int64)
    }

    /// The maximum number of notifications in a page.
    static let maxLimit = 1000
    /// The number of notifications in a page if the request gives no limit.
    private static let defaultLimit = 200
    private static let units: [Character: Int64] = [
        "s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000, "D": 86_400_000,
    ]

    var start: Start
    /// The zones; nil for all granted zones.
    var zones: [String]?
    /// The maximum number of notifications in the page.
    var limit: Int

    /// Reads a body. `now` is the current time in milliseconds since 1970.
    ///
    /// - Throws: a `BAD_REQUEST` error that names the key.
    init(_ body: JSONValue, now: Int64) throws(ServerError) {
        limit = Int(clamping: body["limit"]?.int ?? Int64(Self.defaultLimit))
        guard (1...Self.maxLimit).contains(limit) else {
            throw .tooMany("notifications", limit: Self.maxLimit, actual: limit)
        }
        if let zones = body["zones"], !zones.isNull {
            guard let elements = zones.array, elements.allSatisfy({ $0.string != nil }), elements.count <= 1000 else {
                throw .wrongKind("zones", expected: "a list of zone names")
            }
            self.zones = elements.compactMap(\.string)
        }
        if let marker = body["after"], !marker.isNull {
            guard let text = marker.string, let offset = Int64(text), (0..<Int64.max).contains(offset) else {
                throw .wrongKind("after", expected: "the 'after' of an earlier answer")
            }
            start = .after(offset)
        } else {
            start = .time(try Self.time(body["since"], now: now))
        }
    }

    private static func time(_ since: JSONValue?, now: Int64) throws(ServerError) -> Int64 {
        switch since {
        case .int(let time) where time >= 0: return time
        case .string("first"): return 0
        case .string(let text):
            guard let unit = text.last.flatMap({ units[$0] }), let number = Int64(text.dropLast()), number > 0,
                number < 100_000_000
            else { break }
            return max(0, now - number * unit)
        case nil, .null?: throw .missingKey("since")
        default: break
        }
        throw .wrongKind(
            "since", expected: "milliseconds since 1970, a duration such as '90s', '30m' or '1h', or 'first'")
    }
}
