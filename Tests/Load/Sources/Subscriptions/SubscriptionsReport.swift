import CloudKitWire

/// The result of `zonda load subscriptions`: the results of the zone watchers and of the saved subscriptions.
struct SubscriptionsReport: LoadOutcome {
    /// The result of the zone watchers.
    var watched: WatchedReport
    /// The result of the saved subscriptions; nil if there were none.
    var matches: MatchReport?

    var isGood: Bool { watched.isGood && matches?.isGood ?? true }

    /// The watchers' report. Its member `matches` is the report on the saved subscriptions.
    var json: JSONValue {
        var members = watched.json.members ?? []
        if let matches { members.append(JSONValue.Member("matches", matches.json)) }
        return .object(members)
    }

    var lines: [String] { watched.lines + (matches.map { [""] + $0.lines } ?? []) }

    var peakMemory: PeakMemory {
        get { watched.peakMemory }
        set { watched.peakMemory = newValue }
    }
    var outstanding: Int {
        get { watched.outstanding }
        set { watched.outstanding = newValue }
    }
    var elapsed: Duration { watched.elapsed }
    var latencies: LatencyHistogram { watched.latencies }
    var errors: ErrorCounts { watched.errors }
    var failed: Int { watched.failed }
}
