import CloudKitQuery
import CloudKitWire
import CommandLineSession

/// An invalid predicate. Its description marks the position of the error.
struct PredicateFault: ReportableError, Equatable, CustomStringConvertible {
    /// The maximum number of characters of the predicate to show: in total, and before the position of the error.
    private static let (maxCharacters, maxBefore) = (100, 60)

    /// The predicate.
    var format: String
    /// The error and its position.
    var error: PredicateFormatError

    /// The error, the predicate on one line, and a caret:
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

    /// The error as JSON.
    var json: JSONValue { ["error": .string(error.message), "column": .int(Int64(error.column))] }
}

extension Character {
    /// Whether the character occupies one column. Newlines, tabs and control characters do not.
    fileprivate var isPrintable: Bool {
        !isNewline && unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
    }
}
