/// The findings about saved subscriptions, and the number of notifications.
struct MatchFindings: Equatable, Sendable {
    /// The number of expected notifications of all subscriptions. For a subscription that fires once, it is one.
    var expected = 0
    /// The number of changes whose notification arrived.
    var received = 0
    /// The number of changes whose notification did not arrive.
    var lost = 0
    /// The number of changes that were notified although they do not match, precede the subscription, or were never
    /// made.
    var foreign = 0
    /// The number of repeated messages with a known id.
    var repeats = 0
    /// The number of changes that were notified again by a message with a new id.
    var unknownRepeats = 0
    /// The number of new messages that arrived after later ones of their zone.
    var disordered = 0
    /// The number of subscriptions that fire once but fired again.
    var firedOnceTwice = 0
    /// The number of subscriptions that fire once, have fired and still exist, plus the number of other subscriptions
    /// that are missing.
    var wronglyListed = 0

    /// Whether exactly the expected notifications arrived.
    var isGood: Bool {
        lost == 0 && foreign == 0 && unknownRepeats == 0 && disordered == 0 && firedOnceTwice == 0 && wronglyListed == 0
    }

    static func += (left: inout MatchFindings, right: MatchFindings) {
        left.expected += right.expected
        left.received += right.received
        left.lost += right.lost
        left.foreign += right.foreign
        left.repeats += right.repeats
        left.unknownRepeats += right.unknownRepeats
        left.disordered += right.disordered
        left.firedOnceTwice += right.firedOnceTwice
        left.wronglyListed += right.wronglyListed
    }
}
