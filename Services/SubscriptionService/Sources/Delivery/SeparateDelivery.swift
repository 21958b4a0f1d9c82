internal import Foundation
internal import ServiceMessages
internal import SubscriptionStorage

/// The delivery of a zone's next changes separately from other zones. It can take several turns.
///
/// In each turn, the zone's own notifications and those of its owner's and of query subscriptions are published first.
/// Then the participants of the zone's shares are notified, one part of them after another, until the budget or the time
/// of the turn is spent. The next turn continues with the next part. While participants are notified, turns of other
/// zones of the shard begin. Therefore, neither a large audience nor a record service that does not answer delays the
/// notifications of other zones' owners.
struct SeparateDelivery: Sendable {
    /// How far the previous turns came.
    struct Progress: Sendable {
        /// The zone's position, up to which everything has been delivered. The progress is valid only at this position.
        var delivered: Int64
        /// The number up to which everyone except the participants of shares has been notified.
        var announced: Int64
        /// The changes of which some participants have been notified; nil if there are none.
        var participants: ParticipantDelivery?
    }

    /// The zone's incarnation.
    let incarnation: UUID
    /// The zone's next changes.
    let changes: [ZoneChange]
    /// How far the previous turns came.
    var progress: Progress
    /// Whether the turn may notify participants. Otherwise, participants of too many other zones are being notified.
    let includesParticipants: Bool
}

/// The delivery of a zone's next changes to the participants of its shares.
struct ParticipantDelivery: Sendable {
    /// The changes that can reach participants.
    let changes: [ZoneChange]
    /// The position of the zone once all participants have been notified.
    let reached: CursorTable.Cursor
    /// The place of the last participant who has been notified of all changes.
    var place = AudiencePage.Place.start
    /// The participant after ``place`` of whom only the first subscriptions have been notified, and the name of the last
    /// of these subscriptions; nil if there is none.
    var unfinished: (user: String, subscriptionID: String)?

    /// Creates the delivery of the first of `changes`, whose notifications have at most `maxBytes` together, unless the
    /// first change has more; nil if there are no changes.
    init?(of changes: [ZoneChange], maxBytes: Int = MatchingBudget.shared.work) {
        guard !changes.isEmpty else { return nil }
        var (included, bytes, end) = ([ZoneChange](), 0, CursorTable.Cursor())
        for change in changes {
            if change.reachesParticipants {
                bytes += SharedNotification(change, records: change.records, seesDeletion: false).size
                if bytes > maxBytes, !included.isEmpty { break }
                included.append(change)
            }
            end = CursorTable.Cursor(seq: change.toSeq, at: max(end.at, change.event.at))
        }
        (self.changes, reached) = (included, end)
    }
}
