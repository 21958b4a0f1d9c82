extension Predicate {
    /// Parses a predicate in NSPredicate's format syntax. The predicate is ``flattened`` and within ``QueryLimits``,
    /// except for its number of terms. The types of fields are not checked.
    ///
    /// - Parameters:
    ///   - format: The predicate: `title BEGINSWITH %@ AND n > 5`.
    ///   - arguments: The arguments for `%@` and the like, in order.
    ///   - now: The value of `now()`, in milliseconds since 1970.
    /// - Throws: The first error, with its column.
    package init(format: String, _ arguments: [FormatArgument] = [], now: Int64) throws(PredicateFormatError) {
        do throws(FormatFault) {
            guard format.utf8.count <= QueryLimits.maxFormatBytes else {
                throw FormatFault("a format has at most \(QueryLimits.maxFormatBytes) bytes", at: format.startIndex)
            }
            var parser = try FormatParser(format, arguments, now: now)
            self = try parser.predicate()
        } catch {
            throw PredicateFormatError(error, in: format)
        }
    }

    /// A format without arguments that parses to the same predicate, ``flattened``.
    ///
    /// Values that no comparison uses are omitted: a reference's action, and all of a location except its
    /// coordinates. Some predicates cannot be expressed as a format, such as those with bytes or with ANY before
    /// TOKENMATCHES. For these, the result is a format that the parser rejects.
    package var format: String { PredicatePrinter.format(flattened) }
}
