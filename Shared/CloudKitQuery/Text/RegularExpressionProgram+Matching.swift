extension RegularExpressionProgram {
    /// Returns whether the whole of `text` matches. A step is a visit to an instruction. Each instruction is visited at
    /// most once at the start, and at most twice for each scalar.
    ///
    /// - Throws: ``MatchStopped`` if `watch` stops the evaluation before the result is known.
    func matchesWhole(_ text: String, _ watch: inout MatchWatch) throws(MatchStopped) -> Bool {
        try watch.take(instructions.count)
        let scalars = text.unicodeScalars
        var index = scalars.startIndex
        var states = States(count: instructions.count)
        var next = States(count: instructions.count)
        follow(0, in: &states, atStart: true, atEnd: index == scalars.endIndex)
        while index != scalars.endIndex, states.count > 0 {
            let scalar = scalars[index]
            scalars.formIndex(after: &index)
            next.removeAll()
            for state in states where takes(scalar, at: state) {
                follow(state + 1, in: &next, atStart: false, atEnd: index == scalars.endIndex)
            }
            try watch.take(states.count + next.count)
            swap(&states, &next)
        }
        return states.contains(instructions.count - 1)
    }

    private func takes(_ scalar: Unicode.Scalar, at state: Int) -> Bool {
        switch instructions[state] {
        case .scalar(scalar): true
        case .oneOf(let index): classes[index].contains(scalar)
        default: false
        }
    }

    /// Adds `state` and all states reachable from it without consuming a scalar. States that have already been added
    /// are not visited again, so nested loops terminate.
    private func follow(_ state: Int, in states: inout States, atStart: Bool, atEnd: Bool) {
        var looked = states.count
        states.insert(state)
        while looked < states.count {
            let state = states[looked]
            looked += 1
            switch instructions[state] {
            case .split(let one, let other):
                states.insert(one)
                states.insert(other)
            case .jump(let target): states.insert(target)
            case .start where atStart, .end where atEnd: states.insert(state + 1)
            default: break
            }
        }
    }
}

/// The current states of the machine, in the order in which they were reached. The capacity is fixed.
private struct States: Sequence {
    private var list: [Int] = []
    private var isMember: [Bool]

    /// Creates an empty set for `count` states.
    init(count: Int) {
        list.reserveCapacity(count)
        isMember = Array(repeating: false, count: count)
    }

    var count: Int { list.count }

    subscript(index: Int) -> Int { list[index] }

    func contains(_ state: Int) -> Bool { isMember[state] }

    mutating func insert(_ state: Int) {
        guard !isMember[state] else { return }
        isMember[state] = true
        list.append(state)
    }

    mutating func removeAll() {
        for state in list { isMember[state] = false }
        list.removeAll(keepingCapacity: true)
    }

    func makeIterator() -> IndexingIterator<[Int]> { list.makeIterator() }
}
