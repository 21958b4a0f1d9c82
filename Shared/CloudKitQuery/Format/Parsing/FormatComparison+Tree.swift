extension FormatComparison {
    /// The comparison as it is written.
    var tree: FormatTree {
        let comparison = FormatTree.Comparison(
            quantifier: quantifier.map { $0.kind == .all ? .all : .any }, left: left.written,
            operation: operation.canonical, options: String(options.letters.map(\.letter)), right: right.written)
        return quantifier?.kind == .notAny ? .not(.comparison(comparison)) : .comparison(comparison)
    }
}

extension FormatOperand {
    fileprivate var written: FormatTree.Operand { FormatTree.Operand(kind: kind, argument: argument) }
}

extension FormatOperator {
    /// The spelling that all spellings of the operator have in common.
    fileprivate var canonical: String {
        if case .relation(let relation) = kind { relation.rawValue } else { spelling.uppercased() }
    }
}
