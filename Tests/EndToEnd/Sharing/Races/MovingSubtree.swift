import CloudKitWire
import ServiceMessages
import Synchronization
import TestSupport
import Testing

/// A subtree that the owner moves between shares, and out of them, while the participants of these shares and the owner
/// write in it.
final class MovingSubtree: Sendable {
    /// A move of a subtree's top.
    struct Move: Sendable {
        let top: String
        /// The number of the root to which it was moved; nil if it is not shared.
        let place: Int?
        /// The number of the change.
        let number: Int64
    }

    /// A record that a participant created, and that is not changed afterwards.
    struct Saved: Sendable {
        let name: String
        let top: String
        let writer: Int
    }

    /// What happened so far.
    struct Counts: Sendable {
        var moves: [Move] = []
        var saved: [Saved] = []
        var refusals: [Int64: Int] = [:]
        var faults: [String] = []
    }

    /// The errors that a participant may receive because the subtree or the record is no longer in the share: the new
    /// record has no parent in the share, or the participant cannot see the record or the parent.
    private static let allowedErrors: Set<Int64> = [10, 11, 31]
    /// The number of moves after which a new subtree is used, so that a subtree does not grow without a limit.
    private static let movesPerSubtree = 20

    private let zone: RaceZone
    private let roots: [String]
    private let state = Mutex((top: "top-0", counts: Counts(), hasEnded: false))

    init(zone: RaceZone, roots: [String]) {
        self.zone = zone
        self.roots = roots
    }

    /// What happened so far.
    var counts: Counts { state.withLock { $0.counts } }
    private var top: String { state.withLock { $0.top } }
    private var hasEnded: Bool { state.withLock { $0.hasEnded } }

    /// Moves the subtree as the owner until `end`. Then the race ends.
    func move(until end: ContinuousClock.Instant) async throws {
        defer { state.withLock { $0.hasEnded = true } }
        var turn = 0
        while ContinuousClock.now < end {
            let place = [0, 1, nil][turn % 3]
            let top = "top-\(turn / Self.movesPerSubtree)"
            turn += 1
            try await zone.save(RaceZone.operation("forceReplace", top, below: place.map { roots[$0] }))
            let number = try #require(try await zone.changeNumbers()[top])
            state.withLock { state in
                state.top = top
                state.counts.moves.append(Move(top: top, place: place, number: number))
            }
        }
    }

    /// Creates, changes and deletes records in the subtree as the participant of the root with the number `writer`.
    func write(as guest: TestClient, _ writer: Int) async throws {
        var number = 0
        while !hasEnded {
            number += 1
            let (top, name) = (top, "guest-\(writer)-\(number)")
            // Records with even numbers are changed later.
            let earlier = "guest-\(writer)-\((number - 2) / 2 * 2)"
            let change = number % 4 == 0 ? "forceDelete" : "forceUpdate"
            let reply = try await zone.modify(
                as: guest, RaceZone.operation("create", name, below: top), RaceZone.operation(change, earlier))
            guard let results = reply["records"]?.array, results.count == 2 else {
                state.withLock { $0.counts.faults.append(reply.body.text) }
                continue
            }
            state.withLock { state in
                if results[0].errorCode == nil, number % 2 == 1 {
                    state.counts.saved.append(Saved(name: name, top: top, writer: writer))
                }
                for result in results where result.errorCode != nil {
                    let code = result["ckErrorCode"]?.int ?? 0
                    state.counts.refusals[code, default: 0] += 1
                    if !Self.allowedErrors.contains(code) { state.counts.faults.append(result.text) }
                }
            }
        }
    }

    /// Creates records on several levels below the top, moves and deletes them, as the owner.
    func writeAsOwner() async throws {
        var number = 0
        while !hasEnded {
            number += 1
            let top = top
            let parent = number % 3 == 0 ? "owner-\(number - 1)" : top
            let reply = try await zone.modify(
                as: zone.owner, RaceZone.operation("create", "owner-\(number)", below: parent),
                number % 5 == 0
                    ? RaceZone.operation("forceReplace", "owner-\(number - 2)", below: roots[number % 2])
                    : RaceZone.operation("forceUpdate", BusyParticipant.hiddenPrefix + "1"))
            for result in reply["records"]?.array ?? [reply.body] where result.errorCode != nil {
                // The subtree's top may not exist yet.
                if result["ckErrorCode"] != 31 { state.withLock { $0.counts.faults.append(result.text) } }
            }
        }
    }

    /// Follows the feed as a participant.
    ///
    /// - Returns: the copy at the end of the race.
    func follow(as guest: TestClient) async throws -> SharedWalk {
        var walk = SharedWalk(zone: zone, client: guest)
        while !hasEnded {
            try await walk.catchUp()
            if let name = walk.names.first(where: { $0.hasPrefix(BusyParticipant.hiddenPrefix) }) {
                state.withLock { $0.counts.faults.append("a participant's feed shows \(name)") }
            }
        }
        return walk
    }

    /// Expects that each record was created while its subtree was in the share of the participant who created it.
    func expectSavesInTheirShares() async throws {
        let (numbers, counts) = (try await zone.changeNumbers(), counts)
        for saved in counts.saved {
            let number = try #require(numbers[saved.name], "\(saved.name) was acknowledged and is missing")
            let move = counts.moves.last { $0.top == saved.top && $0.number < number }
            #expect(
                move?.place == saved.writer, "\(saved.name) was saved with \(number), after \(String(describing: move))"
            )
        }
    }
}
