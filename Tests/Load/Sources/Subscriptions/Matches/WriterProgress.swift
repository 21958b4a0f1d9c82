/// How far one writer is with its changes: by their numbers, which it makes in order.
struct WriterProgress: Sendable {
    /// What is known of a change.
    enum Fate: Equatable, Sendable {
        /// It was never sent.
        case unsent
        /// It was sent, and not answered.
        case underWay
        /// It was answered well.
        case done
        /// Nobody knows whether it was done.
        case unknown
    }

    /// The number of the next change.
    private(set) var sent = 0
    /// Changes of lower numbers have been answered, or given up.
    private(set) var answered = 0
    /// Changes of which nobody knows whether they were done.
    private(set) var unknown: Set<Int> = []
    /// Records that are left alone, by their index, since a change of them failed: that one's number.
    private var abandoned: [Int: Int] = [:]

    /// Nothing done.
    init() {}

    /// The next changes of `writer`, `operations` of them.
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

    /// What was begun last was answered well.
    mutating func finish() { answered = sent }

    /// What was begun last had no good answer: its records are left alone.
    mutating func fail(_ changes: [MatchChange], operations: Int) {
        for change in changes {
            unknown.insert(change.number)
            abandoned[change.index(operations: operations)] = change.number
        }
        answered = sent
    }

    /// It is known now what became of a change whose answer was not.
    mutating func resolve(_ number: Int, isDone: Bool, operations: Int) {
        unknown.remove(number)
        let index = MatchChange(writer: 0, number: number).index(operations: operations)
        // What was not done counts as not sent.
        if isDone { abandoned[index] = number + 1 } else { abandoned[index] = number }
    }

    /// What is known of a change.
    func fate(_ change: MatchChange, operations: Int) -> Fate {
        let index = change.index(operations: operations)
        if unknown.contains(change.number) { return .unknown }
        guard index >= 0, change.number >= 0, change.number < sent else { return .unsent }
        if let end = abandoned[index], change.number >= end { return .unsent }
        return change.number < answered ? .done : .underWay
    }
}
