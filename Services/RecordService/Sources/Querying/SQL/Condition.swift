/// A part of a `where`: SQL that is true of every record that is asked for, and of others too unless it is exact.
struct Condition {
    /// The SQL; null counts as false.
    var sql: String
    /// Whether it is true of no other records. Otherwise they are looked at again in memory.
    var isExact = true

    static let always = Condition(sql: "true")
    static let never = Condition(sql: "false")

    /// True of all that any record could be, where SQL cannot tell.
    static let unknown = Condition(sql: "true", isExact: false)

    /// Of everything that it is not true of.
    var negated: Condition {
        isExact ? Condition(sql: "(\(sql)) is not true") : .unknown
    }

    /// Both.
    static func && (one: Condition, other: Condition) -> Condition {
        Condition(sql: "\(one.sql) and \(other.sql)", isExact: one.isExact && other.isExact)
    }
}
