internal import CloudKitQuery
internal import Foundation

/// A predicate as text, in one of two forms.
struct PredicateText {
    enum Form {
        /// As Foundation prints predicates on Apple's systems.
        case printed
        /// For the parser of formats, with placeholders for names and values.
        case parsed
    }

    let form: Form
    private(set) var text = ""
    /// The arguments of the placeholders.
    private(set) var arguments: [FormatArgument] = []

    init(_ form: Form) { self.form = form }

    /// Returns a predicate as text; the given format if it cannot be used.
    static func printed(_ predicate: NSPredicate) -> String {
        var text = PredicateText(.printed)
        do {
            try text.append(predicate)
            return text.text
        } catch {
            return error.format
        }
    }

    mutating func append(_ more: String) { text += more }

    /// Appends a predicate of any class.
    mutating func append(_ predicate: NSPredicate) throws(PredicateFault) {
        switch predicate {
        case let written as any WrittenPredicate: try written.write(to: &self)
        case let compound as NSCompoundPredicate: try append(compound)
        case Self.always: text += "TRUEPREDICATE"
        case Self.never: text += "FALSEPREDICATE"
        default:
            guard form == .printed else {
                throw PredicateFault("BLOCKPREDICATE", "a predicate that a closure decides cannot be sent to a server")
            }
            text += "BLOCKPREDICATE"
        }
    }

    // Foundation's constants are equal if they have the same value, which is the only way to distinguish them.
    private static var always: NSPredicate { NSPredicate(value: true) }
    private static var never: NSPredicate { NSPredicate(value: false) }

    private mutating func append(_ compound: NSCompoundPredicate) throws(PredicateFault) {
        let parts = compound.subpredicates
        switch compound.compoundPredicateType {
        case .and where parts.isEmpty: text += "TRUEPREDICATE"
        case .or where parts.isEmpty: text += "FALSEPREDICATE"
        case .and, .or:
            for (index, part) in parts.enumerated() {
                if index > 0 { text += compound.compoundPredicateType == .and ? " AND " : " OR " }
                try append(part, inParentheses: parts.count > 1 && Self.joinsSeveral(part))
            }
        case .not:
            guard let part = parts.first else {
                throw PredicateFault("NOT", "a NOT has no predicate")
            }
            text += "NOT "
            try append(part, inParentheses: Self.joinsSeveral(part))
        }
    }

    private mutating func append(_ part: NSPredicate, inParentheses: Bool) throws(PredicateFault) {
        if inParentheses { text += "(" }
        try append(part)
        if inParentheses { text += ")" }
    }

    /// Returns whether a predicate is printed with AND or OR.
    private static func joinsSeveral(_ predicate: NSPredicate) -> Bool {
        guard let compound = predicate as? NSCompoundPredicate, compound.compoundPredicateType != .not else {
            return false
        }
        return compound.subpredicates.count > 1 || compound.subpredicates.first.map(joinsSeveral) == true
    }

    /// Appends a list of expressions.
    mutating func append(
        _ expressions: [NSExpression], between brackets: (String, String)
    ) throws(PredicateFault) {
        text += brackets.0
        for (index, expression) in expressions.enumerated() {
            if index > 0 { text += ", " }
            try expression.write(to: &self)
        }
        text += brackets.1
    }

    /// Appends the name of a field. A `#` before it means that the name is always that of the type's own field.
    mutating func append(keyPath: String) {
        guard form == .parsed, !keyPath.hasPrefix("#") else {
            text += keyPath
            return
        }
        text += "%K"
        arguments.append(.keyPath(keyPath))
    }

    /// Appends a value; nil is the absence of a value.
    mutating func append(constant: Any?) throws(PredicateFault) {
        guard let constant = constant.flatMap(PredicateConstant.unwrapped), !(constant is NSNull) else {
            text += "nil"
            return
        }
        switch form {
        case .printed: text += PredicateConstant.printed(constant)
        case .parsed:
            text += "%@"
            arguments.append(.value(try PredicateConstant.value(constant)))
        }
    }
}
