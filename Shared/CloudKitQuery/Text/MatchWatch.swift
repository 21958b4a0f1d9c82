internal import CloudKitModel

/// A step counter that periodically checks whether to stop the evaluation of one record.
struct MatchWatch {
    /// The number of steps between checks. This many steps take a few tens of microseconds.
    static let stepsBetweenLooks = 10_000

    private let isOver: () -> Bool
    /// The number of steps so far.
    private(set) var steps = 0
    private var nextLook = MatchWatch.stepsBetweenLooks

    /// Creates a watch that stops the evaluation once `isOver` returns true; by default, never.
    init(stoppingWhen isOver: @escaping () -> Bool = { false }) { self.isOver = isOver }

    /// Counts `steps` that are about to be taken or have just been taken.
    ///
    /// - Throws: ``MatchStopped`` if a check is due and `isOver` returns true.
    mutating func take(_ steps: Int) throws(MatchStopped) {
        self.steps += steps
        guard self.steps >= nextLook else { return }
        if isOver() { throw MatchStopped() }
        nextLook = self.steps + Self.stepsBetweenLooks
    }
}

extension FieldValue {
    /// The number of steps needed to read the whole value once: about one for each byte of a string or each element of
    /// a list.
    var steps: Int {
        switch self {
        case .string(let text): 1 + text.utf8.count
        case .list(let elements, _): 1 + elements.count
        default: 1
        }
    }
}
