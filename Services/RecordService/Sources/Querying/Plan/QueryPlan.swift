internal import CloudKitModel
internal import CloudKitQuery
internal import RecordStorage

/// How a query is answered: what the statement is made of.
struct QueryPlan {
    /// By what the records are found.
    enum Driver {
        /// An index narrows what is read.
        case index
        /// The index of the first sort is walked.
        case order
        /// The records of the type are walked.
        case type
        /// Every record of the zones is looked at.
        case zones
    }

    /// Where.
    let target: QueryTarget
    /// What.
    let predicate: BoundPredicate
    /// In which order.
    let sorts: [BoundSort]
    /// The indexes that are there, of those that would help.
    let ready: Set<FieldIndex.Key>
    /// By what the records are found.
    let driver: Driver
    /// Whether the records that an index finds are gathered before they are put in order. PostgreSQL takes any element
    /// of a list for as frequent as any other, one record in a hundred, and for a short page it would rather walk an
    /// order and look at each record: at all of them where few or none have the element.
    let isGathered: Bool
    /// Whether it is bounded how many records are read (`limit.scan`), since no index serves what is asked.
    let isScan: Bool
    /// Whether one plan serves whatever values are asked for: equal values of an index that has them in order, or its
    /// walk, or an element for which records are gathered. All else is planned for its values: which of two indexes is
    /// the better one depends on them.
    let isPlannedOnce: Bool
    /// Whether SQL alone decides which records are found.
    let isExact: Bool
    /// What the client should know: indexes that are missing.
    let warnings: [String]
    /// The schema's version by which it was planned.
    let version: Int64
}
