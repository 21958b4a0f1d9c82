import CloudKitWire
import CommandLineSession

/// The result of checking saved subscriptions.
struct MatchReport: Sendable {
    /// The counts of the writers.
    var counts: WatchedCounts
    /// The findings of all subscriptions.
    var findings: MatchFindings
    /// The findings of each kind, with the number of saved subscriptions.
    var kinds: [(kind: MatchedSubscription.Kind, saved: Int, findings: MatchFindings)]
    /// The subscriptions that could not be saved.
    var saving: MatchSaving
    /// The number of changes that were made.
    var changes: Int
    /// The number of changes with an unknown outcome.
    var unresolved: Int
    /// The number of invalid messages.
    var malformed: Int
    /// The times from a change's answer to its message, for each subscription.
    var latencies: LatencyHistogram
    /// The duration from the first request to the last answer.
    var elapsed: Duration
    /// The time from the last answer to the last message; nil if messages were still missing at the end of the wait.
    var settledAfter: Duration?

    /// Creates a report from the book of a finished load and the results of its other parts.
    init(
        _ book: MatchBook, counts: WatchedCounts, saving: MatchSaving, wronglyListed: Int, unresolved: Int,
        elapsed: Duration, settledAfter: Duration?
    ) {
        self.counts = counts
        self.saving = saving
        self.unresolved = unresolved
        self.elapsed = elapsed
        self.settledAfter = settledAfter
        findings = book.findings
        findings.wronglyListed = wronglyListed
        kinds = book.findingsByKind
        (changes, latencies, malformed) = book.results
    }

    /// Whether changes were made, all subscriptions were saved, and exactly the expected notifications arrived.
    var isGood: Bool {
        changes > 0 && findings.isGood && saving.unsaved == 0 && unresolved == 0 && malformed == 0
    }

    /// The number of saved subscriptions.
    var saved: Int { kinds.reduce(0) { $0 + $1.saved } }

    /// The report as an object, with times in milliseconds.
    var json: JSONValue {
        .object(
            having: [
                ("changes", .count(changes)), ("subscriptions", .count(saved)), ("unsaved", .count(saving.unsaved)),
                ("expected", .count(findings.expected)), ("received", .count(findings.received)),
                ("lost", .count(findings.lost)), ("foreign", .count(findings.foreign)),
                ("repeats", .count(findings.repeats)), ("unknownRepeats", .count(findings.unknownRepeats)),
                ("disordered", .count(findings.disordered)), ("firedOnceTwice", .count(findings.firedOnceTwice)),
                ("wronglyListed", .count(findings.wronglyListed)), ("malformed", .count(malformed)),
                ("unresolved", .count(unresolved)), ("failed", .count(counts.failed)),
                ("retried", .count(counts.retried)),
            ] + latencies.members + [
                ("settledAfter", settledAfter.map { .double(($0.seconds * 1000).rounded(places: 1)) } ?? .null),
                ("seconds", .double(elapsed.seconds.rounded(places: 3))),
                ("errors", errors.json), ("firstReason", saving.firstReason.map { .string($0) }),
                (
                    "kinds",
                    .object(
                        having: kinds.map { kind, saved, findings in
                            (
                                kind.rawValue,
                                [
                                    "subscriptions": .count(saved), "expected": .count(findings.expected),
                                    "received": .count(findings.received), "lost": .count(findings.lost),
                                    "foreign": .count(findings.foreign),
                                ]
                            )
                        })
                ),
            ])
    }

    /// The report as text.
    var lines: [String] {
        var table = TextTable()
        table.add("changes", "\(changes.grouped), watched by \(saved.grouped) saved subscriptions")
        for (kind, saved, findings) in kinds {
            table.add(
                "  \(kind.rawValue)",
                "\(saved.grouped): \(findings.expected.grouped) expected, \(findings.received.grouped) received")
        }
        latencies.add(to: &table)
        table.add("settled after", settledAfter.map { "\($0.seconds.rounded(places: 2)) s" } ?? "never")
        for (name, count) in [
            ("lost", findings.lost), ("foreign", findings.foreign), ("disordered", findings.disordered),
            ("fired once twice", findings.firedOnceTwice), ("wrongly listed", findings.wronglyListed),
            ("unknown repeats", findings.unknownRepeats), ("repeats", findings.repeats), ("malformed", malformed),
            ("failed", counts.failed), ("unresolved", unresolved), ("not saved", saving.unsaved),
        ] { table.add(name, count.grouped) }
        errors.add(to: &table)
        if let reason = saving.firstReason { table.add("not saved, as", reason) }
        return table.lines
    }

    private var errors: ErrorCounts {
        var errors = counts.errors
        errors += saving.errors
        return errors
    }
}
