public import Foundation

/// A comparison of two expressions. Foundation's class of the same name cannot be used on Linux. In files that import both
/// modules, write `CloudKit.NSComparisonPredicate`.
open class NSComparisonPredicate: NSPredicate, WrittenPredicate {
    /// The elements of a list to which a comparison applies.
    public enum Modifier: UInt, Sendable {
        /// The comparison applies to the whole value.
        case direct
        /// All elements must match.
        case all
        /// At least one element must match.
        case any
    }

    /// The kinds of comparison.
    public enum Operator: UInt, Sendable {
        /// `<`.
        case lessThan
        /// `<=`.
        case lessThanOrEqualTo
        /// `>`.
        case greaterThan
        /// `>=`.
        case greaterThanOrEqualTo
        /// `==`.
        case equalTo
        /// `!=`.
        case notEqualTo
        /// A regular expression matches.
        case matches
        /// A pattern with wildcards matches.
        case like
        /// A string begins with another one.
        case beginsWith
        /// A string ends with another one.
        case endsWith
        /// A value is one of several.
        case `in`
        /// Any other comparison, such as TOKENMATCHES.
        case customSelector
        /// A list has an element, or a string has a substring.
        case contains = 99
        /// A value is between two others, inclusive.
        case between
    }

    /// The differences that comparisons of strings ignore.
    public struct Options: OptionSet, Sendable {
        /// The bits of the options.
        public let rawValue: UInt

        /// Creates options from their bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// Upper and lower case.
        public static let caseInsensitive = Options(rawValue: 1)
        /// Accents.
        public static let diacriticInsensitive = Options(rawValue: 2)
        /// Strings are normalized beforehand.
        public static let normalized = Options(rawValue: 4)
    }

    /// The expression before the operator.
    public let leftExpression: NSExpression
    /// The expression after the operator.
    public let rightExpression: NSExpression
    /// The elements of a list to which the comparison applies.
    public let comparisonPredicateModifier: Modifier
    private let spelling: String
    private let letters: String

    /// Creates a comparison.
    public init(
        leftExpression lhs: NSExpression, rightExpression rhs: NSExpression, modifier: Modifier, type: Operator,
        options: Options = []
    ) {
        leftExpression = lhs
        rightExpression = rhs
        comparisonPredicateModifier = modifier
        spelling = Self.spellings[type] ?? "customSelector"
        letters =
            (options.contains(.caseInsensitive) ? "c" : "") + (options.contains(.diacriticInsensitive) ? "d" : "")
            + (options.contains(.normalized) ? "n" : "")
        super.init(value: false)
    }

    /// Creates the comparison that a format describes.
    init(
        _ left: NSExpression, _ spelling: String, _ letters: String, _ right: NSExpression, modifier: Modifier
    ) {
        leftExpression = left
        rightExpression = right
        comparisonPredicateModifier = modifier
        self.spelling = spelling
        self.letters = letters
        super.init(value: false)
    }

    private static let spellings: [Operator: String] = [
        .lessThan: "<", .lessThanOrEqualTo: "<=", .greaterThan: ">", .greaterThanOrEqualTo: ">=", .equalTo: "==",
        .notEqualTo: "!=", .matches: "MATCHES", .like: "LIKE", .beginsWith: "BEGINSWITH", .endsWith: "ENDSWITH",
        .in: "IN", .contains: "CONTAINS", .between: "BETWEEN",
    ]

    /// The kind of comparison.
    open var predicateOperatorType: Operator {
        Self.spellings.first { $0.value == spelling }?.key ?? .customSelector
    }

    /// The differences that the comparison ignores.
    open var options: Options {
        var options: Options = []
        if letters.contains("c") { options.insert(.caseInsensitive) }
        if letters.contains("d") { options.insert(.diacriticInsensitive) }
        if letters.contains("n") { options.insert(.normalized) }
        return options
    }

    /// The comparison as text.
    open override var predicateFormat: String { PredicateText.printed(self) }

    /// The comparison as text.
    open override var description: String { predicateFormat }

    /// A hash of the text.
    open override var hash: Int { predicateFormat.hashValue }

    /// Returns whether the other object is a comparison with the same text.
    open override func isEqual(_ object: Any?) -> Bool {
        (object as? NSComparisonPredicate)?.predicateFormat == predicateFormat
    }

    /// Returns the predicate itself, because it is immutable.
    open override func copy(with zone: NSZone? = nil) -> Any { self }

    /// Returns whether the object matches. It may be a record or a dictionary.
    open override func evaluate(with object: Any?, substitutionVariables bindings: [String: Any]?) -> Bool {
        PredicateEvaluation.matches(self, object)
    }

    func write(to text: inout PredicateText) throws(PredicateFault) {
        switch comparisonPredicateModifier {
        case .direct: break
        case .all: text.append("ALL ")
        case .any: text.append("ANY ")
        }
        try leftExpression.write(to: &text)
        text.append(" \(spelling)\(letters.isEmpty ? "" : "[\(letters)]") ")
        try rightExpression.write(to: &text)
    }
}
