/// The progress of one writer. It is described by the numbers of the changes, because a writer makes them in order.
struct WriterProgress: Sendable {
    /// The known state of a change.
    enum Fate: Equatable, Sendable {
        /// It was never sent.
        case unsent
        /// It was sent but not answered.
        case underWay
        /// It was acknowledged.
        case done
        /// Its outcome is unknown.
        case unknown
    }

    /// The number of the next change.
    private(set) var sent = 0
    /// The number below which all changes were answered or abandoned.
    private(set) var answered = 0
    /// The changes with an unknown outcome.
    private(set) var unknown: Set<Int> = []
    /// For the index of a record, the number of its failed change. The record is not used again after this change.
    private var abandoned: [Int: Int] = [:]

    /// Creates the progress before the first change.
    init() {}

    /// Returns the next `operations` changes of `writer`.
    mutating func begin(_ writer: Int, operations: Int) -> [MatchChange] {
        var changes: [MatchChange] = []
        while changes.count < operations {
            let change = MatchChange(writer: writer, number: sent)
            let index = change.index(operations: operations)
            sent += 1
            if index >= 0, abandoned[index] == nil { changes.append(change) }
        }
        return changes
    }

    /// Records that the changes in progress were acknowledged.
    mutating func finish() { answered = sent }

    /// Records that the changes in progress failed, so that their records are not used again.
    mutating func fail(_ changes: [MatchChange], operations: Int) {
        for change in changes {
            unknown.insert(change.number)
            abandoned[change.index(operations: operations)] = change.number
        }
        answered = sent
    }

    /// Records the outcome of a change whose outcome was unknown.
    mutating func resolve(_ number: Int, isDone: Bool, operations: Int) {
        unknown.remove(number)
        let index = MatchChange(writer: 0, number: number).index(operations: operations)
        // A change that was not made is treated as one that was not sent.
        if isDone { abandoned[index] = number + 1 } else { abandoned[index] = number }
    }

    /// Returns the known state of a change.
    func fate(_ change: MatchChange, operations: Int) -> Fate {
        let index = change.index(operations: operations)
        if unknown.contains(change.number) { return .unknown }
        guard index >= 0, change.number >= 0, change.number < sent else { return .unsent }
        if let end = abandoned[index], change.number >= end { return .unsent }
        return change.number < answered ? .done : .underWay
    }
}
