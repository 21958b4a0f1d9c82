public import Foundation

/// One side of a comparison: a field, a value, or a function of them. Foundation's class of the same name cannot be used
/// on Linux. In files that import both modules, write `CloudKit.NSExpression`.
open class NSExpression: NSObject, NSCopying {
    /// The kinds of expression.
    public enum ExpressionType: UInt, Sendable {
        /// A value.
        case constantValue = 0
        /// The object itself.
        case evaluatedObject = 1
        /// A variable.
        case variable = 2
        /// The value of a field.
        case keyPath = 3
        /// A function.
        case function = 4
        /// The union of two sets.
        case unionSet = 5
        /// The intersection of two sets.
        case intersectSet = 6
        /// The difference of two sets.
        case minusSet = 7
        /// The elements of a collection that match a predicate.
        case subquery = 13
        /// A list of expressions.
        case aggregate = 14
        /// Any key.
        case anyKey = 15
        /// A closure.
        case block = 19
        /// One of two expressions, depending on a predicate.
        case conditional = 20
    }

    private enum Content {
        case constant(Any?)
        case itself
        case keyPath(String)
        case function(String, [NSExpression])
        case aggregate([NSExpression])
    }

    private let content: Content

    private init(_ content: Content) { self.content = content }

    /// Creates the expression of a value; nil is the absence of a value.
    public convenience init(forConstantValue obj: Any?) { self.init(.constant(obj)) }

    /// Creates the expression of a field's value.
    public convenience init(forKeyPath keyPath: String) {
        self.init(keyPath.lowercased() == "self" ? .itself : .keyPath(keyPath))
    }

    /// Creates the expression of a list.
    public convenience init(forAggregate subexpressions: [NSExpression]) { self.init(.aggregate(subexpressions)) }

    /// Creates the expression of a function, such as `distanceToLocation:fromLocation:`.
    public convenience init(forFunction name: String, arguments parameters: [Any]) {
        self.init(
            .function(name, parameters.map { $0 as? NSExpression ?? NSExpression(forConstantValue: $0) }))
    }

    /// Returns the expression of the object itself.
    open class func expressionForEvaluatedObject() -> NSExpression { NSExpression(.itself) }

    /// Returns the expression itself, because it is immutable.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// The kind of expression.
    open var expressionType: ExpressionType {
        switch content {
        case .constant: .constantValue
        case .itself: .evaluatedObject
        case .keyPath: .keyPath
        case .function: .function
        case .aggregate: .aggregate
        }
    }

    /// The value of a constant; nil for all other kinds.
    open var constantValue: Any? { if case .constant(let value) = content { value } else { nil } }

    /// The name of a field; an empty string for all other kinds.
    open var keyPath: String { if case .keyPath(let path) = content { path } else { "" } }

    /// The name of a function; an empty string for all other kinds.
    open var function: String { if case .function(let name, _) = content { name } else { "" } }

    /// The arguments of a function; nil for all other kinds.
    open var arguments: [NSExpression]? { if case .function(_, let parts) = content { parts } else { nil } }

    /// The elements of a list; nil for all other kinds.
    open var collection: Any? { if case .aggregate(let parts) = content { parts } else { nil } }

    /// The expression as text.
    open override var description: String {
        var text = PredicateText(.printed)
        try? write(to: &text)
        return text.text
    }

    /// Returns whether the other object is an expression with the same text.
    open override func isEqual(_ object: Any?) -> Bool { (object as? NSExpression)?.description == description }

    /// A hash of the text.
    open override var hash: Int { description.hashValue }

    /// Writes the expression.
    func write(to text: inout PredicateText) throws(PredicateFault) {
        switch content {
        case .constant(let value): try text.append(constant: value)
        case .itself: text.append("SELF")
        case .keyPath(let path): text.append(keyPath: path)
        case .aggregate(let parts): try text.append(parts, between: ("{", "}"))
        case .function(let name, let parts):
            text.append(name)
            try text.append(parts, between: ("(", ")"))
        }
    }
}
