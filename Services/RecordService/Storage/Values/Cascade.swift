/// A deleted record whose dependents are not deleted yet: a row of `record.cascade`.
package struct Cascade: Sendable, Hashable {
    /// The deleted record.
    package var key: RecordKey
    /// The change that deleted the record. A record that refers to it and was changed later is not a dependent.
    package var seq: Int64
    /// The user who deleted it.
    package var user: String

    /// Creates a row from its parts.
    package init(key: RecordKey, seq: Int64, user: String) {
        self.key = key
        self.seq = seq
        self.user = user
    }
}
