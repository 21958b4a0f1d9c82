extension Predicate {
    /// Reads a predicate in NSPredicate's format syntax. The tree is ``flattened`` and within ``QueryLimits``, but for
    /// the number of its terms; it says nothing about the types of fields.
    ///
    /// - Parameters:
    ///   - format: The predicate: `title BEGINSWITH %@ AND n > 5`.
    ///   - arguments: What is put in for `%@` and the like, in order.
    ///   - now: What `now()` means, in milliseconds since 1970.
    /// - Throws: The first fault with its column.
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

    /// A format without arguments that is read to the same tree, ``flattened``.
    ///
    /// What no comparison looks at is left out: a reference's action, and of a location all but its coordinates. A
    /// tree that no format is read to, such as one with bytes or with ANY before TOKENMATCHES, gets a format that
    /// reading refuses.
    package var format: String { PredicatePrinter.format(flattened) }
}
