/// A part of a `where` clause. It is true for every record that the query matches and, if it is not exact, possibly for
/// other records.
struct Condition {
    /// The SQL; null counts as false.
    var sql: String
    /// Whether the SQL is true only for records that match. If not, the records are evaluated again in memory.
    var isExact = true

    static let always = Condition(sql: "true")
    static let never = Condition(sql: "false")

    /// The condition for a predicate that SQL cannot evaluate. It is true for every record.
    static let unknown = Condition(sql: "true", isExact: false)

    /// The negation of the condition; unknown if the condition is not exact.
    var negated: Condition {
        isExact ? Condition(sql: "(\(sql)) is not true") : .unknown
    }

    /// Returns the conjunction of two conditions.
    static func && (one: Condition, other: Condition) -> Condition {
        Condition(sql: "\(one.sql) and \(other.sql)", isExact: one.isExact && other.isExact)
    }
}
