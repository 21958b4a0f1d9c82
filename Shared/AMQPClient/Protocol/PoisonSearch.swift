import DequeModule

/// Finds the message that causes the broker to close a channel or connection (the poison message).
///
/// The broker's error does not identify the message, so all messages in flight are suspects. They are sent again one at
/// a time, in publishing order. A message that the broker answers is cleared. A message for which the broker closes the
/// channel or connection a third time is discarded. A closure is counted only if it reports an error
/// (``AMQPError/blamesAMessage``): a lost socket or a broker shutdown proves nothing, and the search continues on the
/// next connection.
///
/// ```
///            suspect(_:)                next()
///  at rest ───────────▶ searching ──────────────▶ trying one
///     ▲                     ▲                         │ answered()      cleared
///     │  no suspect left    │                         │ interrupted()   tried again
///     └─────────────────────┴─────────────────────────┘ ended()         tried again; discarded the third time
/// ```
struct PoisonSearch<Element> {
    private struct Suspect {
        var element: Element
        /// The number of channels or connections that the broker ended while the message was in flight.
        var ends = 1
    }

    /// The value of `ends` at which a message is discarded. At each end except the first, the message was the only one
    /// in flight.
    static var maxEnds: Int { 3 }

    private var suspects: Deque<Suspect> = []
    /// Whether the first suspect is being tried, as the only message in flight.
    private(set) var isTrying = false

    /// Whether there are suspects. If so, no other message may be sent.
    var isActive: Bool { !suspects.isEmpty }

    /// Adds the messages that were in flight when the broker ended a channel or connection with an error. Must not be
    /// called while a suspect is being tried.
    mutating func suspect(_ elements: [Element]) {
        precondition(!isTrying, "a suspect that is being tried must be the only message in flight")
        suspects.append(contentsOf: elements.map { Suspect(element: $0) })
    }

    /// Returns the next suspect to send, or nil if a suspect is already being tried or no suspects are left.
    mutating func next() -> Element? {
        guard !isTrying, let first = suspects.first else { return nil }
        isTrying = true
        return first.element
    }

    /// Clears the suspect that is being tried, because it has been confirmed or has failed.
    mutating func answered() {
        guard isTrying else { return }
        isTrying = false
        suspects.removeFirst()
    }

    /// Notes that the channel or connection ended without an error while a suspect was being tried.
    mutating func interrupted() { isTrying = false }

    /// Notes that the broker ended the channel or connection with an error while a suspect was being tried.
    ///
    /// - Returns: the suspect, if it must be discarded.
    mutating func ended() -> Element? {
        guard isTrying else { return nil }
        isTrying = false
        suspects[0].ends += 1
        return suspects[0].ends < Self.maxEnds ? nil : suspects.removeFirst().element
    }

    /// The suspects, in the order in which they are tried.
    var elements: [Element] { suspects.map(\.element) }

    /// Removes and returns all suspects, including the one that is being tried.
    mutating func removeAll() -> [Element] {
        defer { self = PoisonSearch() }
        return suspects.map(\.element)
    }
}
