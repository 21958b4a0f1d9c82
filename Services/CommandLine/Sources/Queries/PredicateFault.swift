import CloudKitQuery
import CloudKitWire
import CommandLineSession

/// A predicate that cannot be read, told with a mark below the place.
struct PredicateFault: ReportableError, Equatable, CustomStringConvertible {
    /// The most characters of the predicate that are shown, and those of them that stand before the place.
    private static let (maxCharacters, maxBefore) = (100, 60)

    /// The predicate.
    var format: String
    /// What is wrong with it, and where.
    var error: PredicateFormatError

    /// The fault, the predicate in a line, and a caret:
    ///
    ///     column 10: expected a value after '=='
    ///       title ==
    ///                ^
    var description: String {
        let before = error.column - 1
        let isCut = before > Self.maxBefore
        let skipped = isCut ? before - Self.maxBefore : 0
        let shown = format.dropFirst(skipped).prefix(Self.maxCharacters).map { $0.isPrintable ? $0 : " " }
        let margin = String(repeating: " ", count: 2)
        let rest = format.count > skipped + shown.count ? "…" : ""
        return """
            column \(error.column): \(error.message)
            \(margin)\(isCut ? "…" : "")\(String(shown))\(rest)
            \(margin)\(String(repeating: " ", count: before - skipped + (isCut ? 1 : 0)))^
            """
    }

    /// The same with a key for each part.
    var json: JSONValue { ["error": .string(error.message), "column": .int(Int64(error.column))] }
}

extension Character {
    /// Whether it takes a place in a line; line ends, tabs and what a terminal would obey do not.
    fileprivate var isPrintable: Bool {
        !isNewline && unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
    }
}
