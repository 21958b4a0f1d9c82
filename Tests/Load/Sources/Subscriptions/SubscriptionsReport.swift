import CloudKitWire

/// The result of `zonda load subscriptions`: what watchers of zones heard, and what saved subscriptions told.
struct SubscriptionsReport: LoadOutcome {
    /// What watchers of zones heard.
    var watched: WatchedReport
    /// What saved subscriptions of all kinds told; nil when there were none.
    var matches: MatchReport?

    var isGood: Bool { watched.isGood && matches?.isGood ?? true }

    /// The watchers' object; the subscriptions' stands in it under `matches`.
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
