import CloudKitWire
import CommandLineSession

/// What came of checking saved subscriptions.
struct MatchReport: Sendable {
    /// The counts of the writers.
    var counts: WatchedCounts
    /// What the subscriptions were found to tell.
    var findings: MatchFindings
    /// The same for each kind, with the number of subscriptions that were saved.
    var kinds: [(kind: MatchedSubscription.Kind, saved: Int, findings: MatchFindings)]
    /// What could not be saved.
    var saving: MatchSaving
    /// Changes that were done.
    var changes: Int
    /// Changes of which nobody knows.
    var unresolved: Int
    /// Messages that were not as they should be.
    var malformed: Int
    /// From a change's answer to its message, for each subscription.
    var latencies: LatencyHistogram
    /// The duration from the first request to the last answer.
    var elapsed: Duration
    /// From the last answer to the last message; nil when some had not come in time.
    var settledAfter: Duration?

    /// What the book of a finished load says, and what its other parts found.
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

    /// Whether there were changes, all subscriptions were saved, and each told what it had to and nothing else.
    var isGood: Bool {
        changes > 0 && findings.isGood && saving.unsaved == 0 && unresolved == 0 && malformed == 0
    }

    /// How many subscriptions were saved.
    var saved: Int { kinds.reduce(0) { $0 + $1.saved } }

    /// The report as an object; times in milliseconds.
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
        table.add("changes", "\(changes.grouped) told to \(saved.grouped) saved subscriptions")
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
