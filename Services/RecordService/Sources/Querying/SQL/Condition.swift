/// A part of a `where`: SQL that is true for every record that is asked for, and also for others if it is not exact.
struct Condition {
    /// The SQL; null counts as false.
    var sql: String
    /// Whether it is true for no other record. Otherwise the records are evaluated again in memory.
    var isExact = true

    static let always = Condition(sql: "true")
    static let never = Condition(sql: "false")

    /// True for every record, if SQL cannot decide.
    static let unknown = Condition(sql: "true", isExact: false)

    /// The negation; unknown if this is not exact.
    var negated: Condition {
        isExact ? Condition(sql: "(\(sql)) is not true") : .unknown
    }

    /// Both conditions.
    static func && (one: Condition, other: Condition) -> Condition {
        Condition(sql: "\(one.sql) and \(other.sql)", isExact: one.isExact && other.isExact)
    }
}
