internal import AMQPClient
internal import CloudKitModel
internal import Foundation
internal import ServiceMessages
internal import SubscriptionStorage

/// The state of a shard's zones. It can be discarded at any time: the cursors are in the database, and the broker
/// redelivers unacknowledged messages.
struct ShardState {
    /// The state of the search for a missing change.
    enum Search: Equatable {
        case idle
        /// The change might merely be late.
        case waiting(after: Int64)
        /// The log has to be read.
        case due
        /// The log is being read.
        case reading
    }

    /// The state of a zone.
    struct Zone {
        var sequencer = ZoneSequencer<AMQPDelivery>()
        /// Whether the sequencer continues from the cursor's current position.
        var isCursorKnown = false
        /// The current move of the cursor. No other move begins before it has ended; deliveries continue in the
        /// meantime.
        var move: CursorTable.Move?
        var search = Search.idle
        /// The number of consecutive failed moves. A move usually fails because another instance has moved the cursor.
        var failedMoves = 0
        /// Whether the zone is paused, after failed moves or because a separate delivery was postponed.
        var isBackingOff = false
        /// The number of consecutive reads of the log that made no progress.
        var failedReads = 0
        /// Whether the zone's changes require too much work for a round and are therefore delivered separately.
        var isCostly = false
        /// How far the zone's separate delivery has come; nil if the next one begins with new changes.
        var progress: SeparateDelivery.Progress?
        /// The number of the zone's current separate delivery; nil if none is in progress.
        var delivery: Int?
        /// The number of the last round that had an input for the zone.
        var usedAt = 0

        /// Whether the zone's next changes have to wait for the end of a separate delivery or of a pause between two.
        var waitsForSeparateDelivery: Bool { delivery != nil || (isCostly && isBackingOff) }
    }

    /// The number of zones above which idle zones are discarded, least recently used first.
    private static let maxZones = 4096
    /// The maximum number of zones whose participants are notified at the same time.
    private static let maxNotifying = 4

    /// The zones, keyed by incarnation.
    var zones: [UUID: Zone] = [:]
    /// The zones that the next round examines.
    var open: Set<UUID> = []
    /// The zones whose cursors are behind the delivered changes.
    var behind: Set<UUID> = []
    /// The zones that are unknown to the record service.
    var unknown: Set<UUID> = []
    /// The zones with changes that are delivered separately, without duplicates. Paused zones are included, and so are
    /// zones whose turn is in progress.
    private(set) var costly: [UUID] = []
    /// The number of the turn in progress that has not yet notified the owner; nil if there is none. It is kept when the
    /// connection is lost.
    private(set) var delivery: Int?
    /// The numbers of the turns in progress that are notifying participants. They are kept when the connection is lost.
    private var notifying: Set<Int> = []
    private var deliveries = 0
    /// For each database that is waiting for another separate delivery, the number of its last separate delivery.
    private var served: [ZoneDatabase: Int] = [:]
    private var generation: UInt64 = 0
    private var round = 0

    /// Discards the zones when the first delivery of a new connection arrives. Messages from the previous connection
    /// can no longer be acknowledged; the broker redelivers them.
    mutating func enter(generation: UInt64) {
        guard generation != self.generation else { return }
        self.generation = generation
        zones = [:]
        open = []
        behind = []
        unknown = []
        costly = []
    }

    /// Changes a zone, and adds it to ``open``.
    mutating func use(_ incarnation: UUID, _ body: (inout Zone) -> Void) {
        open.insert(incarnation)
        body(&zones[incarnation, default: Zone()])
        zones[incarnation]?.usedAt = round
    }

    /// Returns the moves to make now: the moves of the zones that are behind, have a known cursor and no current move,
    /// and are not paused.
    mutating func takeMoves() -> [CursorTable.Move] {
        var moves: [CursorTable.Move] = []
        for incarnation in behind {
            if let zone = zones[incarnation], zone.move != nil || !zone.isCursorKnown || zone.isBackingOff { continue }
            behind.remove(incarnation)
            guard let sequencer = zones[incarnation]?.sequencer, sequencer.settled < sequencer.delivered else {
                continue
            }
            let move = CursorTable.Move(
                incarnation: incarnation, from: sequencer.settled, to: sequencer.delivered,
                at: sequencer.deliveredAt)
            zones[incarnation]?.move = move
            moves.append(move)
        }
        return moves
    }

    /// Ends a round, and discards idle zones if there are too many.
    mutating func endRound() {
        round += 1
        guard zones.count > Self.maxZones else { return }
        let idle = zones.filter {
            $0.value.sequencer.isIdle && $0.value.search == .idle && $0.value.move == nil && $0.value.delivery == nil
        }
        for (incarnation, _) in idle.sorted(by: { $0.value.usedAt < $1.value.usedAt }).prefix(Self.maxZones / 2) {
            zones[incarnation] = nil
        }
    }
}

// MARK: - Separate deliveries

extension ShardState {
    /// The database of a zone. Databases take turns, so that no user delays other users.
    private struct ZoneDatabase: Hashable {
        let container: String
        let environment: EnvironmentName
        let owner: String

        init(_ zone: ZoneAddress) { (container, environment, owner) = (zone.container, zone.environment, zone.owner) }
    }

    /// Returns the maximum number of events that are held for a costly zone. All costly zones share half the shard's
    /// prefetch limit, and each can hold at least one event.
    func maxHeld(prefetch: Int) -> Int {
        max(1, min(ShardLane.maxHeld, prefetch / 2 / max(1, costly.count)))
    }

    /// Queues a zone for a separate delivery.
    mutating func enqueueCostly(_ incarnation: UUID) {
        if !costly.contains(incarnation) { costly.append(incarnation) }
    }

    /// Begins the next turn of a separate delivery, unless the owner's part of another turn is in progress. The database
    /// that has waited the longest since its last turn comes first. While the participants of ``maxNotifying`` zones are
    /// being notified, only zones with changes that have not been announced get turns.
    mutating func beginDelivery() -> (number: Int, delivery: SeparateDelivery)? {
        guard delivery == nil else { return nil }
        let includesParticipants = notifying.count < Self.maxNotifying
        var waiting: [(incarnation: UUID, database: ZoneDatabase, delivery: SeparateDelivery?)] = []
        for incarnation in costly {
            // Zones that are skipped here are reopened later, and then queued again.
            guard let zone = zones[incarnation], zone.isCursorKnown, zone.sequencer.firstReissued == nil else {
                continue
            }
            let changes = zone.sequencer.run().changes.prefix(ShardLane.maxHeld)
            guard let first = changes.first, let last = changes.last else { continue }
            let delivered = zone.sequencer.delivered
            // If the cursor was placed elsewhere in the meantime, the progress does not apply.
            let progress =
                zone.progress.flatMap { $0.delivered == delivered ? $0 : nil }
                ?? SeparateDelivery.Progress(delivered: delivered, announced: delivered)
            let canBegin = includesParticipants || last.toSeq > progress.announced
            let delivery = SeparateDelivery(
                incarnation: incarnation, changes: Array(changes), progress: progress,
                includesParticipants: includesParticipants)
            let isWaiting = zone.delivery == nil && !zone.isBackingOff
            waiting.append((incarnation, ZoneDatabase(first.event.address), isWaiting && canBegin ? delivery : nil))
        }
        costly = waiting.map(\.incarnation)
        served = served.filter { database, _ in waiting.contains { $0.database == database } }
        let ready = waiting.filter { $0.delivery != nil }
        guard let next = ready.min(by: { served[$0.database] ?? 0 < served[$1.database] ?? 0 }),
            let turn = next.delivery
        else { return nil }
        // Among the zones of its database, this one is the last to get another turn.
        costly.removeAll { $0 == next.incarnation }
        costly.append(next.incarnation)
        deliveries += 1
        served[next.database] = deliveries
        delivery = deliveries
        zones[next.incarnation]?.delivery = deliveries
        return (deliveries, turn)
    }

    /// Records that a turn has notified the owner and now notifies participants, so that another turn can begin.
    mutating func beginParticipants(_ number: Int) {
        guard delivery == number else { return }
        delivery = nil
        notifying.insert(number)
    }

    /// Records that a turn of a separate delivery has ended.
    ///
    /// - Returns: whether the turn belongs to the zone's current state; false if that state was discarded in the
    ///   meantime.
    mutating func endDelivery(_ number: Int, of incarnation: UUID) -> Bool {
        if delivery == number { delivery = nil }
        notifying.remove(number)
        guard zones[incarnation]?.delivery == number else { return false }
        zones[incarnation]?.delivery = nil
        return true
    }
}
