import Synchronization

/// What is known about a participant's access at any time, so that each answer can be judged. May be used on any thread.
final class AccessWatch: Sendable {
    /// The knowledge at one time.
    struct Moment: Equatable, Sendable {
        /// The number of times that access was given or taken away so far.
        var turn = 0
        /// Whether the loss of access has been answered, and the user has not been invited since.
        var isClosed = true
        /// The root below which the participant saves. At first, there is no such record.
        var root = "none"
    }

    /// What the participant did.
    struct Counts: Sendable {
        /// The acts that succeeded, by kind.
        var successes: [String: Int] = [:]
        /// The acts that were refused, by kind.
        var refusals: [String: Int] = [:]
        /// The names of the records whose saves were acknowledged.
        var saved: [String] = []
        /// Everything that must not happen.
        var faults: [String] = []
    }

    private static let zoneNotFound: Int64 = 26

    private let state = Mutex((moment: Moment(), counts: Counts(), hasEnded: false))

    /// The current knowledge.
    var moment: Moment { state.withLock { $0.moment } }
    /// The counts so far.
    var counts: Counts { state.withLock { $0.counts } }
    /// Whether the race is over.
    var hasEnded: Bool { state.withLock { $0.hasEnded } }

    /// Records that access is about to be given.
    func open(_ root: String) {
        state.withLock { $0.moment = Moment(turn: $0.moment.turn + 1, isClosed: false, root: root) }
    }

    /// Records that the loss of access has been answered.
    func close() {
        state.withLock { $0.moment = Moment(turn: $0.moment.turn + 1, isClosed: true, root: $0.moment.root) }
    }

    /// Ends the race.
    func end() { state.withLock { $0.hasEnded = true } }

    /// Records a fault.
    func fault(_ text: String) { state.withLock { $0.counts.faults.append(text) } }

    /// Records that an act succeeded. It is a fault if it began after the loss of access had been answered.
    ///
    /// - Parameters:
    ///   - start: the knowledge when the act began.
    ///   - saved: the name of the record that was saved.
    func succeeded(_ act: String, since start: Moment, saved: String? = nil) {
        state.withLock { state in
            state.counts.successes[act, default: 0] += 1
            if let saved { state.counts.saved.append(saved) }
            if start.isClosed, state.moment == start {
                state.counts.faults.append("\(act) succeeded after the loss of access: \(saved ?? "")")
            }
        }
    }

    /// Records that an act was refused. It is a fault if the code is not one of `allowed`, or if the act began after the
    /// loss of access had been answered, and the code is not that of a zone that does not exist.
    func refused(_ act: String, _ code: Int64?, _ answer: String, since start: Moment, allowed: Set<Int64>) {
        state.withLock { state in
            state.counts.refusals[act, default: 0] += 1
            let isWithoutAccess = start.isClosed && state.moment == start
            if code.map((isWithoutAccess ? [Self.zoneNotFound] : allowed).contains) != true {
                state.counts.faults.append("\(act): \(answer)")
            }
        }
    }
}
