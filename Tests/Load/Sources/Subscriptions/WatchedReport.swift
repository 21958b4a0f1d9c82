import CloudKitWire
import CommandLineSession

/// The counts of the writers of a subscription load.
struct WatchedCounts: Sendable {
    /// The number of acknowledged operations.
    var acknowledged = 0
    /// The number of operations that were refused or never answered.
    var failed = 0
    /// The number of requests that were repeated with the same message id.
    var retried = 0
    /// The number of failures by code.
    var errors = ErrorCounts()
}

/// The result of a subscription load.
struct WatchedReport: LoadOutcome {
    /// The counts of the writers.
    var counts: WatchedCounts
    /// The findings of the watchers.
    var findings: HearingLedger.Findings
    /// The number of subscriptions that were saved for watchers.
    var subscriptions = 0
    /// The times from an operation's answer to its notification, for each watcher.
    var latencies: LatencyHistogram
    /// The duration from the first save to the last answer.
    var elapsed: Duration
    /// The time from the last answer to the last notification; nil if notifications were still missing at the end of
    /// the wait.
    var settledAfter: Duration?
    var peakMemory = PeakMemory()
    var outstanding = 0

    /// Whether operations were acknowledged, every watcher was notified of all of them in order, and all repeats had
    /// known ids.
    var isGood: Bool {
        counts.acknowledged > 0 && findings.lost == 0 && findings.outOfOrder == 0 && findings.unknownRepeats == 0
    }

    var errors: ErrorCounts { counts.errors }
    var failed: Int { counts.failed }

    private var perSecond: Double { perSecond(Double(counts.acknowledged)) }
    private var notificationsPerSecond: Double { perSecond(Double(findings.notifications)) }

    var json: JSONValue {
        let settled = settledAfter.map { JSONValue.double(($0.seconds * 1000).rounded(places: 1)) }
        return json(
            [
                ("acknowledged", .count(counts.acknowledged)),
                ("failed", .count(failed)),
                ("notifications", .count(findings.notifications)),
                ("lost", .count(findings.lost)),
                ("repeated", .count(findings.repeated)),
                ("unknownRepeats", .count(findings.unknownRepeats)),
                ("outOfOrder", .count(findings.outOfOrder)),
                ("subscriptions", .count(subscriptions)),
                ("perSecond", .double(perSecond)),
            ],
            [
                ("settledAfter", settled ?? .null),
                ("notificationsPerSecond", .double(notificationsPerSecond)),
                ("retried", .count(counts.retried)),
            ])
    }

    var lines: [String] {
        lines { table in
            table.add(
                "operations",
                "\(counts.acknowledged.grouped) acknowledged in \(elapsed.seconds.rounded(places: 1)) s "
                    + "(\(Int(perSecond).grouped)/s)")
            table.add(
                "notifications", "\(findings.notifications.grouped) (\(Int(notificationsPerSecond).grouped)/s)")
        } _: { table in
            if counts.retried > 0 { table.add("sent again", counts.retried.grouped) }
            table.add("settled after", settledAfter.map { "\($0.seconds.rounded(places: 2)) s" } ?? "never")
            table.add("lost", findings.lost.grouped)
            table.add("out of order", findings.outOfOrder.grouped)
            table.add("repeated", findings.repeated.grouped)
            table.add("unknown repeats", findings.unknownRepeats.grouped)
            table.add("subscriptions", subscriptions.grouped)
        }
    }
}
