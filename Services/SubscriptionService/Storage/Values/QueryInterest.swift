/// The record service's answer to a subscription's query (`interests.set`). After this answer, changes to records of
/// the query's type are logged together with the records' values.
package struct QueryInterest: Sendable, Equatable {
    /// The predicate in its canonical format.
    package var predicate: String
    /// Whether the user may read only their own records of the type.
    package var ownOnly: Bool
    /// The rights number at which `ownOnly` was checked; nil if rights do not apply.
    package var rights: Int64?
    /// The equality that every matching record satisfies.
    package var term: EqualityTerm

    /// Creates an answer.
    package init(predicate: String, ownOnly: Bool, rights: Int64?, term: EqualityTerm) {
        self.predicate = predicate
        self.ownOnly = ownOnly
        self.rights = rights
        self.term = term
    }
}
