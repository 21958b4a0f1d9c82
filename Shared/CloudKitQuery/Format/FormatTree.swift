package import CloudKitModel

/// A format as it is written, with the structure and the operators that ``Predicate`` simplifies. The client library
/// builds its predicates from it, because they print as they were written.
package indirect enum FormatTree: Hashable, Sendable {
    /// TRUEPREDICATE or FALSEPREDICATE.
    case constant(Bool)
    case and([FormatTree])
    case or([FormatTree])
    case not(FormatTree)
    case comparison(Comparison)
}

extension FormatTree {
    /// A comparison as it is written.
    package struct Comparison: Hashable, Sendable {
        /// The quantifier before the comparison. NONE is written as NOT ANY.
        package var quantifier: Coverage?
        package var left: Operand
        /// The operator in upper case, such as `==` or `BEGINSWITH`. Relations have the spelling of ``Relation``.
        package var operation: String
        /// The letters in brackets after the operator, in lower case: `cd`.
        package var options: String
        package var right: Operand
    }

    /// One side of a comparison.
    package struct Operand: Hashable, Sendable {
        package enum Kind: Hashable, Sendable {
            /// A field, or the words of all fields.
            case key(QueryKey)
            /// `self`.
            case itself
            /// A field's distance from a location.
            case distance(QueryKey, Location)
            case value(FieldValue)
            case list([FieldValue])
            /// `nil`, `NULL`.
            case null
            /// `tokenize(…)`: the words of a string.
            case words(String)
        }

        package var kind: Kind
        /// The index of the argument that replaced the placeholder; nil if the operand is not a placeholder.
        package var argument: Int?
    }
}

/// A parsed format.
package struct ParsedFormat: Sendable {
    /// The format as it is written.
    package let tree: FormatTree
    /// The equivalent predicate, ``Predicate/flattened``.
    package let predicate: Predicate

    /// Parses a format in NSPredicate's syntax. The predicate is within ``QueryLimits``, except that its number of terms
    /// is not checked. The types of fields are not checked either.
    ///
    /// - Parameters:
    ///   - format: The text of the predicate: `title BEGINSWITH %@ AND n > 5`.
    ///   - arguments: The arguments for `%@` and the other placeholders, in order.
    ///   - now: The value of `now()`, in milliseconds since 1970.
    /// - Throws: The first error in the format, with its column.
    package init(format: String, _ arguments: [FormatArgument] = [], now: Int64) throws(PredicateFormatError) {
        do throws(FormatFault) {
            guard format.utf8.count <= QueryLimits.maxFormatBytes else {
                throw FormatFault("a format must not exceed \(QueryLimits.maxFormatBytes) bytes", at: format.startIndex)
            }
            var parser = try FormatParser(format, arguments, now: now)
            self = try parser.parsed()
        } catch {
            throw PredicateFormatError(error, in: format)
        }
    }

    init(_ tree: FormatTree, _ predicate: Predicate) {
        self.tree = tree
        self.predicate = predicate
    }

    /// Returns the conjunction of `parts`; the part itself if there is only one.
    static func conjunction(of parts: [ParsedFormat]) -> ParsedFormat {
        parts.count == 1
            ? parts[0] : ParsedFormat(.and(parts.map(\.tree)), .conjunction(of: parts.map(\.predicate)))
    }

    /// Returns the disjunction of `parts`; the part itself if there is only one.
    static func disjunction(of parts: [ParsedFormat]) -> ParsedFormat {
        parts.count == 1
            ? parts[0] : ParsedFormat(.or(parts.map(\.tree)), .disjunction(of: parts.map(\.predicate)))
    }

    static func not(_ part: ParsedFormat) -> ParsedFormat { ParsedFormat(.not(part.tree), .not(part.predicate)) }
}
