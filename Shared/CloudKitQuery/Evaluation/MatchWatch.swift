internal import CloudKitModel

/// Looks now and then, all through the evaluation of one record, at whether to stop.
struct MatchWatch {
    /// So many steps are taken between two looks: some tens of microseconds.
    static let stepsBetweenLooks = 10_000

    private let isOver: () -> Bool
    /// Those taken so far.
    private(set) var steps = 0
    private var nextLook = MatchWatch.stepsBetweenLooks

    /// A watch that asks `isOver`; without it nothing stops what is watched.
    init(stoppingWhen isOver: @escaping () -> Bool = { false }) { self.isOver = isOver }

    /// Counts `steps` that are about to be taken, or just were.
    ///
    /// - Throws: when it was time to look, and the time is over.
    mutating func take(_ steps: Int) throws(MatchStopped) {
        self.steps += steps
        guard self.steps >= nextLook else { return }
        if isOver() { throw MatchStopped() }
        nextLook = self.steps + Self.stepsBetweenLooks
    }
}

extension FieldValue {
    /// The steps that it takes to look at all of it once: a text's bytes, a list's elements.
    var steps: Int {
        switch self {
        case .string(let text): 1 + text.utf8.count
        case .list(let elements, _): 1 + elements.count
        default: 1
        }
    }
}
