import DequeModule

/// Finds the message for which the broker ends a channel or connection.
///
/// Nothing that the broker says names the message, so all that were in flight are suspects. They are sent again alone, in
/// the order of their publishing: one that the broker answers is cleared, one for which the broker ends the channel or
/// connection for the third time is given up. Only an end with an error counts (``AMQPError/blamesAMessage``): a lost
/// socket or a broker that stops proves nothing, and the search continues on the next connection.
///
/// ```
///            suspect(_:)                next()
///  at rest ───────────▶ searching ──────────────▶ trying one
///     ▲                     ▲                         │ answered()      cleared
///     │  no suspect left    │                         │ interrupted()   tried again
///     └─────────────────────┴─────────────────────────┘ ended()         tried again; given up the third time
/// ```
struct PoisonSearch<Element> {
    private struct Suspect {
        var element: Element
        /// How often the broker ended a channel or connection while it was in flight.
        var ends = 1
    }

    /// The ends after which a message is given up. Two of them were its own.
    static var maxEnds: Int { 3 }

    private var suspects: Deque<Suspect> = []
    /// Whether the first suspect is in flight, alone.
    private(set) var isTrying = false

    /// Whether there are suspects: nothing else is to be sent.
    var isActive: Bool { !suspects.isEmpty }

    /// The broker ended a channel or connection with an error while these were in flight. Not during a trial.
    mutating func suspect(_ elements: [Element]) {
        precondition(!isTrying, "what is tried is alone in flight")
        suspects.append(contentsOf: elements.map { Suspect(element: $0) })
    }

    /// The next to be sent alone; nil while one is tried, and when there is no suspect.
    mutating func next() -> Element? {
        guard !isTrying, let first = suspects.first else { return nil }
        isTrying = true
        return first.element
    }

    /// The broker has answered the one that is tried, whatever it said.
    mutating func answered() {
        guard isTrying else { return }
        isTrying = false
        suspects.removeFirst()
    }

    /// The channel or connection ended without blame while one was tried.
    mutating func interrupted() { isTrying = false }

    /// The broker ended the channel or connection with an error while one was tried.
    ///
    /// - Returns: that one when it is given up.
    mutating func ended() -> Element? {
        guard isTrying else { return nil }
        isTrying = false
        suspects[0].ends += 1
        return suspects[0].ends < Self.maxEnds ? nil : suspects.removeFirst().element
    }

    /// The suspects, in the order in which they are tried.
    var elements: [Element] { suspects.map(\.element) }

    /// Takes out all suspects, the one that is tried too.
    mutating func removeAll() -> [Element] {
        defer { self = PoisonSearch() }
        return suspects.map(\.element)
    }
}
