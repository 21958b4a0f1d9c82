package import CloudKitModel
package import CloudKitWire

/// A query: a record type, a predicate and a sort order.
package struct Query: Hashable, Sendable {
    /// The record type.
    package var recordType: String
    /// The condition that records must meet.
    package var predicate: Predicate
    /// The sorts, in decreasing order of precedence. Ties are ordered by record name.
    package var sorts: [Sort]

    /// Creates a query.
    package init(recordType: String, predicate: Predicate = .all, sorts: [Sort] = []) {
        self.recordType = recordType
        self.predicate = predicate
        self.sorts = sorts
    }

    /// Creates the query that a query dictionary describes.
    ///
    /// - Throws: a `BAD_REQUEST` error that names the field of the invalid filter or sort.
    package init(_ wire: WireQuery) throws(ServerError) {
        recordType = wire.recordType
        predicate = try Predicate(filters: wire.filterBy)
        sorts = []
        for sort in wire.sortBy { sorts.append(try Sort(sort)) }
    }

    /// The equivalent query dictionary.
    package var wire: WireQuery {
        WireQuery(recordType: recordType, filterBy: predicate.filters, sortBy: sorts.map(\.wire))
    }
}
