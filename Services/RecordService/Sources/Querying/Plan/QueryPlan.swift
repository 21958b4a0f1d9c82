internal import CloudKitModel
internal import CloudKitQuery
internal import RecordStorage

/// How a query is executed.
struct QueryPlan {
    /// The way in which records are found.
    enum Driver {
        /// An index reduces the rows that are read.
        case index
        /// The index of the first sort is walked.
        case order
        /// The records of the type are walked.
        case type
        /// Every record of the zones is read.
        case zones
    }

    /// The records that the query is about.
    let target: QueryTarget
    /// The condition.
    let predicate: BoundPredicate
    /// The order.
    let sorts: [BoundSort]
    /// The ready ones of the indexes that would help.
    let ready: Set<FieldIndex.Key>
    /// The way in which records are found.
    let driver: Driver
    /// Whether the records that an index finds are collected before they are sorted. PostgreSQL considers any element
    /// of a list equally frequent, one record in a hundred. For a short page it would therefore walk an order and check
    /// each record, and so read all records if few or none have the element.
    let isGathered: Bool
    /// Whether the number of records that are read is bounded (`limit.scan`), because no index serves the query.
    let isScan: Bool
    /// Whether one plan serves all values: equality in an ordered index, a walk over one, or an element for which
    /// records are collected. All other statements are planned for their values, which determine the better one of two
    /// indexes.
    let isPlannedOnce: Bool
    /// Whether SQL alone decides which records are found.
    let isExact: Bool
    /// The warnings for the client: missing indexes.
    let warnings: [String]
    /// The version of the schema by which the query was planned.
    let version: Int64
}
