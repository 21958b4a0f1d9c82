extension Predicate {
    /// Creates a predicate from NSPredicate's format syntax. The predicate is ``flattened`` and within ``QueryLimits``,
    /// except that its number of terms is not checked. The types of fields are not checked either.
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
            self = try parser.predicate()
        } catch {
            throw PredicateFormatError(error, in: format)
        }
    }

    /// A format without placeholders that parses to the same predicate, ``flattened``.
    ///
    /// Values that no comparison uses are omitted: the action of a reference, and everything in a location except its
    /// coordinates. Some predicates cannot be expressed as a format, such as those with bytes or with ANY before
    /// TOKENMATCHES. For these, the result is a format that the parser rejects.
    package var format: String { PredicatePrinter.format(flattened) }
}
