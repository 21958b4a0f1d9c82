internal import CloudKitModel

/// Checks periodically, throughout the evaluation of one record, whether to stop.
struct MatchWatch {
    /// The number of steps between two checks: some tens of microseconds.
    static let stepsBetweenLooks = 10_000

    private let isOver: () -> Bool
    /// The number of steps so far.
    private(set) var steps = 0
    private var nextLook = MatchWatch.stepsBetweenLooks

    /// Creates a watch that calls `isOver`; by default it never stops the evaluation.
    init(stoppingWhen isOver: @escaping () -> Bool = { false }) { self.isOver = isOver }

    /// Counts `steps` about to be taken or just taken.
    ///
    /// - Throws: If a check is due and `isOver` returns true.
    mutating func take(_ steps: Int) throws(MatchStopped) {
        self.steps += steps
        guard self.steps >= nextLook else { return }
        if isOver() { throw MatchStopped() }
        nextLook = self.steps + Self.stepsBetweenLooks
    }
}

extension FieldValue {
    /// The number of steps to read the whole value once: a string's bytes, a list's elements.
    var steps: Int {
        switch self {
        case .string(let text): 1 + text.utf8.count
        case .list(let elements, _): 1 + elements.count
        default: 1
        }
    }
}
