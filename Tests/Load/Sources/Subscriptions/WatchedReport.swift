import CloudKitWire
import CommandLineSession

/// What the writers of a load of subscriptions have done so far.
struct WatchedCounts: Sendable {
    /// Operations that were acknowledged.
    var acknowledged = 0
    /// Operations that were refused or never answered.
    var failed = 0
    /// Requests that were sent again under the same message id.
    var retried = 0
    /// Failures by code.
    var errors = ErrorCounts()
}

/// The result of a load of subscriptions.
struct WatchedReport: LoadOutcome {
    /// What the writers counted.
    var counts: WatchedCounts
    /// What the watchers found.
    var findings: HearingLedger.Findings
    /// How many subscriptions were saved for watchers.
    var subscriptions = 0
    /// From an operation's answer to its notification, for each watcher.
    var latencies: LatencyHistogram
    /// From the first save to the last answer.
    var elapsed: Duration
    /// From the last answer to the last notification; nil when some had not come in time.
    var settledAfter: Duration?
    var peakMemory = PeakMemory()
    var outstanding = 0

    /// Whether something was acknowledged, and every watcher heard all of it, in order, and could tell repeats by their
    /// ids.
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
