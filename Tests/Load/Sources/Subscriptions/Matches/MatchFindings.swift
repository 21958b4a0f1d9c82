/// What was found of saved subscriptions, and how much was heard.
struct MatchFindings: Equatable, Sendable {
    /// Changes that subscriptions had to be told, each counted for each of them; of one that fires once, one.
    var expected = 0
    /// Changes that were told, for the first time.
    var received = 0
    /// Changes that were not told and had to be.
    var lost = 0
    /// Changes that were told and must not be: they do not match, came before the subscription, or never happened.
    var foreign = 0
    /// Messages that came again, and could be known by it.
    var repeats = 0
    /// Changes that were told again by a message that could not be known for a repeat.
    var unknownRepeats = 0
    /// Messages with news that came after later ones of their zone.
    var disordered = 0
    /// Subscriptions that fire once, and told another change after the first.
    var firedOnceTwice = 0
    /// Subscriptions that fired once and are still listed, and others that are not.
    var wronglyListed = 0

    /// Whether everything was told that had to be, and nothing else.
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
