extension Predicate {
    /// Creates a predicate from NSPredicate's format syntax, as ``ParsedFormat`` parses it.
    ///
    /// - Throws: The first error in the format, with its column.
    package init(format: String, _ arguments: [FormatArgument] = [], now: Int64) throws(PredicateFormatError) {
        self = try ParsedFormat(format: format, arguments, now: now).predicate
    }

    /// A format without placeholders that parses to the same predicate, ``flattened``.
    ///
    /// Values that no comparison uses are omitted: the action of a reference, and everything in a location except its
    /// coordinates. Some predicates cannot be expressed as a format, such as those with bytes or with ANY before
    /// TOKENMATCHES. For these, the result is a format that the parser rejects.
    package var format: String { PredicatePrinter.format(flattened) }
}
