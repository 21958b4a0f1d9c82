/// A regular expression compiled to a state machine that follows all paths simultaneously (Thompson's construction).
struct RegularExpressionProgram: Sendable {
    /// The action of one state of the machine.
    enum Instruction: Hashable, Sendable {
        /// Consumes this scalar and continues at the next instruction.
        case scalar(Unicode.Scalar)
        /// Consumes one scalar of the class with this index.
        case oneOf(Int)
        /// Continues at both instructions.
        case split(Int, Int)
        /// Continues at the given instruction.
        case jump(Int)
        /// Continues only at the beginning of the text.
        case start
        /// Continues only at the end of the text.
        case end
        /// Matches if the text ends here.
        case match
    }

    /// The maximum number of instructions, which bounds the cost of each scalar of the text. A program of this size
    /// takes seconds to match one megabyte of text, unless the evaluation is stopped.
    static let maxInstructions = 500

    private(set) var instructions: [Instruction] = []
    private(set) var classes: [ScalarClass] = []

    /// Compiles `syntax`, after checking that the program is not too large.
    init(_ syntax: RegularExpressionSyntax) throws(RegularExpressionError) {
        let size = try Self.size(of: syntax)
        try Self.check(size, at: 0)
        instructions.reserveCapacity(size + 1)
        append(syntax)
        instructions.append(.match)
    }

    /// Returns the number of instructions. Visits the body of a repetition only once, even if it is expanded many
    /// times.
    private static func size(of syntax: RegularExpressionSyntax) throws(RegularExpressionError) -> Int {
        switch syntax {
        case .literal(let scalars): return scalars.count
        case .oneOf, .start, .end: return 1
        case .sequence(let items): return try sum(of: items)
        case .alternatives(let items): return try sum(of: items) + 2 * (items.count - 1)
        case .repetition(let item, let atLeast, let atMost, let offset):
            let once = try size(of: item)
            let optional = atMost.map { ($0 - atLeast) * (once + 1) } ?? once + 2
            let size = atLeast * once + optional
            try check(size, at: offset)
            return size
        }
    }

    private static func sum(of items: [RegularExpressionSyntax]) throws(RegularExpressionError) -> Int {
        var sum = 0
        for item in items { sum += try size(of: item) }
        return sum
    }

    private static func check(_ size: Int, at offset: Int) throws(RegularExpressionError) {
        guard size > maxInstructions else { return }
        throw RegularExpressionError(
            message: "The regular expression is too large after its repetitions are expanded", offset: offset)
    }
}

// MARK: Writing

extension RegularExpressionProgram {
    private mutating func append(_ syntax: RegularExpressionSyntax) {
        switch syntax {
        case .literal(let scalars): instructions += scalars.map(Instruction.scalar)
        case .oneOf(let scalars): append(scalars)
        case .start: instructions.append(.start)
        case .end: instructions.append(.end)
        case .sequence(let items): for item in items { append(item) }
        case .alternatives(let items): append(alternatives: items)
        case .repetition(let item, let atLeast, let atMost, _):
            for _ in 0..<atLeast { append(item) }
            if let atMost { append(optional: item, upTo: atMost - atLeast) } else { append(repeated: item) }
        }
    }

    private mutating func append(_ scalars: ScalarClass) {
        // A class that occurs several times is stored once.
        let index = classes.lastIndex(of: scalars) ?? classes.endIndex
        if index == classes.endIndex { classes.append(scalars) }
        instructions.append(.oneOf(index))
    }

    /// `split a, b; a: …; jump end; b: … end:`
    private mutating func append(alternatives: [RegularExpressionSyntax]) {
        var jumps: [Int] = []
        for alternative in alternatives.dropLast() {
            let split = placeholder()
            append(alternative)
            jumps.append(placeholder())
            instructions[split] = .split(split + 1, instructions.count)
        }
        if let last = alternatives.last { append(last) }
        for jump in jumps { instructions[jump] = .jump(instructions.count) }
    }

    /// `split a, end; a: …; split b, end; b: … end:`
    private mutating func append(optional item: RegularExpressionSyntax, upTo count: Int) {
        let splits = (0..<count).map { _ in
            let split = placeholder()
            append(item)
            return split
        }
        for split in splits { instructions[split] = .split(split + 1, instructions.count) }
    }

    /// `again: split a, end; a: …; jump again; end:`
    private mutating func append(repeated item: RegularExpressionSyntax) {
        let split = placeholder()
        append(item)
        instructions.append(.jump(split))
        instructions[split] = .split(split + 1, instructions.count)
    }

    /// Appends an instruction whose target is not yet known, and returns its index.
    private mutating func placeholder() -> Int {
        instructions.append(.match)
        return instructions.count - 1
    }
}
