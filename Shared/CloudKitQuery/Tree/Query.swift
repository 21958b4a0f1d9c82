package import CloudKitModel
package import CloudKitWire

/// Whose records are asked for, which of them, and in which order.
package struct Query: Hashable, Sendable {
    /// The record type.
    package var recordType: String
    /// What they have to be like.
    package var predicate: Predicate
    /// The order, the first deciding first; ties go by record name.
    package var sorts: [Sort]

    /// A query.
    package init(recordType: String, predicate: Predicate = .all, sorts: [Sort] = []) {
        self.recordType = recordType
        self.predicate = predicate
        self.sorts = sorts
    }

    /// What a query dictionary says.
    ///
    /// - Throws: `BAD_REQUEST` naming the filter's or sort's field.
    package init(_ wire: WireQuery) throws(ServerError) {
        recordType = wire.recordType
        predicate = try Predicate(filters: wire.filterBy)
        sorts = []
        for sort in wire.sortBy { sorts.append(try Sort(sort)) }
    }

    /// The query dictionary that says the same.
    package var wire: WireQuery {
        WireQuery(recordType: recordType, filterBy: predicate.filters, sortBy: sorts.map(\.wire))
    }
}
