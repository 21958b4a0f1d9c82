internal import CloudKitModel
internal import CloudKitQuery
internal import Foundation

/// The conversion of predicates to the predicates of queries.
enum QueryPredicate {
    /// Returns the predicate as queries know it.
    ///
    /// - Throws: A fault that says why no query can use the predicate.
    static func predicate(of predicate: NSPredicate) throws(PredicateFault) -> CloudKitQuery.Predicate {
        var text = PredicateText(.parsed)
        do throws(PredicateFault) {
            try text.append(predicate)
        } catch {
            throw PredicateFault(PredicateText.printed(predicate), error.reason)
        }
        do throws(PredicateFormatError) {
            return try CloudKitQuery.Predicate(format: text.text, text.arguments, now: 0)
        } catch {
            // The column refers to a text that the caller has not written.
            throw PredicateFault(PredicateText.printed(predicate), error.message)
        }
    }
}
