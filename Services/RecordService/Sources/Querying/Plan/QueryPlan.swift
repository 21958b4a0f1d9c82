internal import CloudKitModel
internal import CloudKitQuery
internal import RecordStorage

/// How a query is executed.
struct QueryPlan {
    /// How records are found.
    enum Driver {
        /// An index reduces the number of rows that are read.
        case index
        /// The index of the first sort is walked.
        case order
        /// The records of the type are walked.
        case type
        /// Every record of the zones is read.
        case zones
    }

    /// The records that the query searches.
    var target: QueryTarget
    /// The condition that the records must meet.
    let predicate: BoundPredicate
    /// The order of the records.
    let sorts: [BoundSort]
    /// The indexes that would help and are ready.
    let ready: Set<FieldIndex.Key>
    /// How records are found.
    let driver: Driver
    /// Whether the records that an index finds are collected before they are sorted. PostgreSQL assumes that every
    /// element of a list occurs in 1% of the records. For a short page, it would therefore walk the index of the sort
    /// and check each record. If few or no records contained the element, it would read all of them.
    let isGathered: Bool
    /// Whether `limit.scan` limits the number of records that are read, as it does if no index can be used for the
    /// query.
    let isScan: Bool
    /// Whether one PostgreSQL plan suits all parameter values. This is the case for an equality search in an ordered
    /// index, a walk over such an index, or an unsorted search for a list element (``isGathered``). All other
    /// statements are planned for their values, because the values determine which of several indexes is best.
    let isPlannedOnce: Bool
    /// Whether SQL alone decides which records are found.
    let isExact: Bool
    /// The warnings for the client about missing indexes.
    let warnings: [String]
    /// The version of the schema with which the query was planned.
    let version: Int64
}
