internal import AMQPClient
internal import Foundation
internal import ServiceMessages
internal import SubscriptionStorage

/// What a lane remembers of its shard's zones. Everything of it can be forgotten at any time: cursors are in the
/// database, and what is not acknowledged comes again.
struct ShardState {
    /// What is done about something that cannot be delivered yet.
    enum Search: Equatable {
        case idle
        /// Perhaps it is only late.
        case waiting(after: Int64)
        /// The log is to be asked.
        case due
        /// The log is being asked.
        case reading
    }

    /// A zone.
    struct Zone {
        var sequencer = ZoneSequencer<AMQPDelivery>()
        /// Whether the sequencer has been told where the cursor stands.
        var isCursorKnown = false
        /// What is being done about the cursor. Nothing else is until it is done, and the zone goes on meanwhile.
        var move: CursorTable.Move?
        var search = Search.idle
        /// How often in a row the cursor was not moved, mostly because another had moved it.
        var failedMoves = 0
        /// Whether it is left alone for a moment, after such failures.
        var isResting = false
        /// How often in a row the log was asked in vain.
        var failures = 0
        /// Whether its changes took too much matching for a round, and so get deliveries of their own.
        var isCostly = false
        /// The number of the delivery of its own that is under way.
        var delivery: Int?
        /// The round in which something came.
        var usedAt = 0
    }

    /// Past this many zones those are forgotten that nothing waits for, the least recently used half first.
    private static let maxZones = 4096

    /// The zones by their incarnation.
    var zones: [UUID: Zone] = [:]
    /// The zones that the next round has to look at.
    var open: Set<UUID> = []
    /// The zones whose cursors do not say yet what was delivered.
    var behind: Set<UUID> = []
    /// The zones that the record service does not know any more.
    var unknown: Set<UUID> = []
    /// The zones that wait for a delivery of their own, each once.
    private(set) var costly: [UUID] = []
    /// The number of the delivery that is under way beside the rounds. It stays when its connection is gone.
    private(set) var delivery: Int?
    private var deliveries = 0
    /// The number of the last such delivery of each database that waits for one.
    private var served: [ZoneDatabase: Int] = [:]
    private var generation: UInt64 = 0
    private var round = 0

    /// Takes the deliveries of a new connection: those of the one before can no more be acknowledged, and come again.
    mutating func enter(generation: UInt64) {
        guard generation != self.generation else { return }
        self.generation = generation
        zones = [:]
        open = []
        behind = []
        unknown = []
        costly = []
    }

    /// Lends a zone, which is then open.
    mutating func use(_ incarnation: UUID, _ body: (inout Zone) -> Void) {
        open.insert(incarnation)
        body(&zones[incarnation, default: Zone()])
        zones[incarnation]?.usedAt = round
    }

    /// Takes the moves that are to be made now: of the zones that are behind those that none is under way for, and whose
    /// cursors are known to stand where they are settled.
    mutating func takeMoves() -> [CursorTable.Move] {
        var moves: [CursorTable.Move] = []
        for incarnation in behind {
            if let zone = zones[incarnation], zone.move != nil || !zone.isCursorKnown || zone.isResting { continue }
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

    /// Ends a round: what is idle may be forgotten.
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

// MARK: - Deliveries of their own

extension ShardState {
    /// The database of a zone: what one user, or a whole container's public part, may fill.
    private struct ZoneDatabase: Hashable {
        let container: String
        let environment: String
        let owner: String

        init(_ zone: ZoneAddress) { (container, environment, owner) = (zone.container, zone.environment, zone.owner) }
    }

    /// Events of a costly zone that may be held: all costly zones share half of the shard's prefetch, but each has at least
    /// one.
    func maxHeld(prefetch: Int) -> Int {
        max(1, min(ShardLane.maxHeld, prefetch / 2 / max(1, costly.count)))
    }

    /// Puts a costly zone into the line.
    mutating func enqueue(_ incarnation: UUID) {
        if !costly.contains(incarnation) { costly.append(incarnation) }
    }

    /// Begins the delivery of the zone whose turn it is, unless one is under way: of the database that has waited longest
    /// since its last one.
    mutating func beginDelivery() -> (incarnation: UUID, number: Int, changes: [ZoneChange])? {
        guard delivery == nil else { return nil }
        var waiting: [(incarnation: UUID, database: ZoneDatabase, changes: [ZoneChange])] = []
        for incarnation in costly {
            // Those that are left out are opened again when that is over, and come into the line anew.
            guard let zone = zones[incarnation], zone.isCursorKnown, !zone.isResting,
                zone.sequencer.overtaken == nil
            else { continue }
            let changes = zone.sequencer.run().changes
            guard let first = changes.first else { continue }
            waiting.append((incarnation, ZoneDatabase(first.event.address), changes))
        }
        costly = waiting.map(\.incarnation)
        served = served.filter { database, _ in waiting.contains { $0.database == database } }
        guard let next = waiting.min(by: { served[$0.database] ?? 0 < served[$1.database] ?? 0 }) else { return nil }
        costly.removeAll { $0 == next.incarnation }
        deliveries += 1
        served[next.database] = deliveries
        delivery = deliveries
        zones[next.incarnation]?.delivery = deliveries
        return (next.incarnation, deliveries, Array(next.changes.prefix(ShardLane.maxHeld)))
    }

    /// Notes that a delivery is over.
    ///
    /// - Returns: whether the zone is still the one that it was begun for.
    mutating func endDelivery(_ number: Int, of incarnation: UUID) -> Bool {
        if delivery == number { delivery = nil }
        guard zones[incarnation]?.delivery == number else { return false }
        zones[incarnation]?.delivery = nil
        return true
    }
}
