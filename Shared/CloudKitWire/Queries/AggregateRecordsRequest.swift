package import CloudKitModel

/// The body of `records.aggregate`, which computes aggregates over the records that match a query. CloudKit does not
/// have this operation.
package struct AggregateRecordsRequest: Hashable, Sendable {
    /// An aggregate to compute.
    package struct Aggregate: Hashable, Sendable {
        /// `COUNT`, `MIN`, `MAX`, `SUM` or `AVG`.
        package var function: String
        /// The name of an application field; nil for a system field, and for a `COUNT` of records.
        package var fieldName: String?
        /// The name of a system field.
        package var systemFieldName: String?

        /// Creates an aggregate to send.
        package init(function: String, fieldName: String? = nil, systemFieldName: String? = nil) {
            self.function = function
            self.fieldName = fieldName
            self.systemFieldName = systemFieldName
        }
    }

    /// The query. Its sorts are ignored.
    package var query: WireQuery
    /// The zone or zones to search.
    package var scope = QueryScope()
    /// The aggregates. If there are none, the number of records is returned.
    package var aggregates: [Aggregate] = []
    /// The field to group by; nil for a single result for all records.
    package var groupBy: WireSort?

    /// Creates a request to send.
    package init(
        query: WireQuery, scope: QueryScope = QueryScope(), aggregates: [Aggregate] = [], groupBy: WireSort? = nil
    ) {
        self.query = query
        self.scope = scope
        self.aggregates = aggregates
        self.groupBy = groupBy
    }

    /// Decodes a body.
    /// - Throws: `BAD_REQUEST` if the body is invalid.
    package init(decoding body: [UInt8]) throws(ServerError) {
        self = try JSONScanner.scan(body) { scanner throws(WireFault) in
            var query: WireQuery?
            var request = AggregateRecordsRequest(query: WireQuery(recordType: ""))
            try scanner.open(UInt8(ascii: "{"))
            var isFirst = true
            while let key = try scanner.nextKey(isFirst: &isFirst) {
                if scanner.matches(key, "query") {
                    query = try scanner.optionalQuery()
                } else if scanner.matches(key, "aggregates") {
                    try scanner.elements("aggregates") { scanner throws(WireFault) in
                        request.aggregates.append(try scanner.aggregate())
                    }
                } else if scanner.matches(key, "groupBy") {
                    request.groupBy = try scanner.skipNull() ? nil : try scanner.sort("groupBy")
                } else if try !request.scope.read(key, &scanner) {
                    try scanner.skipValue()
                }
            }
            guard let query else { throw .content(.missingKey("query")) }
            request.query = query
            return request
        }
    }
}

extension JSONScanner {
    fileprivate mutating func aggregate() throws(WireFault) -> AggregateRecordsRequest.Aggregate {
        guard peek() == UInt8(ascii: "{") else { throw wrongKind("aggregates", "an array of dictionaries") }
        var aggregate = AggregateRecordsRequest.Aggregate(function: "")
        try open(UInt8(ascii: "{"))
        var isFirst = true
        while let key = try nextKey(isFirst: &isFirst) {
            if matches(key, "function") {
                aggregate.function = try optionalString("function") ?? ""
            } else if matches(key, "fieldName") {
                aggregate.fieldName = try optionalString("fieldName")
            } else if matches(key, "systemFieldName") {
                aggregate.systemFieldName = try optionalString("systemFieldName")
            } else {
                try skipValue()
            }
        }
        guard !aggregate.function.isEmpty else { throw .content(.missingKey("function")) }
        return aggregate
    }
}
