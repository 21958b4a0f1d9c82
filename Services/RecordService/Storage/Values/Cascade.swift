/// A row of `record.cascade`: a deleted record whose dependents have not been deleted yet.
package struct Cascade: Sendable, Hashable {
    /// The deleted record.
    package var key: RecordKey
    /// The number of the change that deleted the record. A record that refers to the deleted record but was changed
    /// later is not a dependent.
    package var seq: Int64
    /// The user who deleted the record.
    package var user: String

    /// Creates a row from its parts.
    package init(key: RecordKey, seq: Int64, user: String) {
        self.key = key
        self.seq = seq
        self.user = user
    }
}
