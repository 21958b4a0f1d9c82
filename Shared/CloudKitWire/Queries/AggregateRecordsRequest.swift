package import CloudKitModel

/// The body of `records.aggregate`, which CloudKit does not have: numbers over the records that a query finds.
package struct AggregateRecordsRequest: Hashable, Sendable {
    /// A number that is asked for.
    package struct Aggregate: Hashable, Sendable {
        /// `COUNT`, `MIN`, `MAX`, `SUM` or `AVG`.
        package var function: String
        /// The field, when it is the type's; `COUNT` needs none.
        package var fieldName: String?
        /// The field, when it is the system's.
        package var systemFieldName: String?

        /// An aggregate to send.
        package init(function: String, fieldName: String? = nil, systemFieldName: String? = nil) {
            self.function = function
            self.fieldName = fieldName
            self.systemFieldName = systemFieldName
        }
    }

    /// What is asked for; its sorts are of no account.
    package var query: WireQuery
    /// Where it is looked for.
    package var scope = QueryScope()
    /// The numbers; without any, the count.
    package var aggregates: [Aggregate] = []
    /// One result for each value of this field; nil for one of all records.
    package var groupBy: WireSort?

    /// A request to send.
    package init(
        query: WireQuery, scope: QueryScope = QueryScope(), aggregates: [Aggregate] = [], groupBy: WireSort? = nil
    ) {
        self.query = query
        self.scope = scope
        self.aggregates = aggregates
        self.groupBy = groupBy
    }

    /// Reads a body.
    /// - Throws: `BAD_REQUEST`.
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
