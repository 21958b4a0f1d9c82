internal import CloudKitModel

/// Writes query requests, for the command line, other services and tests.
extension WireWriter {
    /// Writes the body of `records/query` and `records.explain`.
    package mutating func queryRecords(_ request: QueryRecordsRequest) {
        beginObject()
        query(request.query)
        scope(request.scope)
        member("resultsLimit", request.resultsLimit)
        member("continuationMarker", request.continuationMarker)
        member("desiredKeys", request.desiredKeys)
        if request.numbersAsStrings { member("numbersAsStrings", true) }
        endObject()
    }

    /// Writes the body of `records.aggregate`.
    package mutating func aggregateRecords(_ request: AggregateRecordsRequest) {
        object { writer in
            writer.query(request.query)
            writer.scope(request.scope)
            writer.key("aggregates")
            writer.array(request.aggregates) { writer, aggregate in
                writer.object { writer in
                    writer.member("function", aggregate.function)
                    writer.member("fieldName", aggregate.fieldName)
                    writer.member("systemFieldName", aggregate.systemFieldName)
                }
            }
            if let groupBy = request.groupBy {
                writer.key("groupBy")
                writer.sort(groupBy)
            }
        }
    }

    private mutating func query(_ query: WireQuery) {
        key("query")
        object { writer in
            writer.member("recordType", query.recordType)
            if !query.filterBy.isEmpty {
                writer.key("filterBy")
                writer.filters(query.filterBy)
            }
            if !query.sortBy.isEmpty {
                writer.key("sortBy")
                writer.array(query.sortBy) { $0.sort($1) }
            }
        }
    }

    private mutating func scope(_ scope: QueryScope) {
        if let zoneID = scope.zoneID {
            key("zoneID")
            self.zoneID(zoneID, withType: false)
        }
        if scope.zoneWide { member("zoneWide", true) }
    }

    /// Writes an array of filters.
    package mutating func filters(_ filters: [WireFilter]) { array(filters) { $0.filter($1) } }

    /// Writes a filter dictionary, or a dictionary with one of the keys `and`, `or` and `not`.
    package mutating func filter(_ filter: WireFilter) {
        object { writer in
            switch filter {
            case .and(let filters):
                writer.key("and")
                writer.filters(filters)
            case .or(let filters):
                writer.key("or")
                writer.filters(filters)
            case .not(let filter):
                writer.key("not")
                writer.filter(filter)
            case .comparison(let comparison): writer.members(of: comparison)
            }
        }
    }

    private mutating func members(of comparison: WireComparison) {
        member("comparator", comparison.comparator)
        member("fieldName", comparison.fieldName)
        member("systemFieldName", comparison.systemFieldName)
        if let value = comparison.fieldValue {
            var named = value
            named.name = "fieldValue"
            field(named)
        }
        member("distance", comparison.distance)
        member("options", comparison.options)
    }

    private mutating func sort(_ sort: WireSort) {
        object { writer in
            writer.member("fieldName", sort.fieldName)
            writer.member("systemFieldName", sort.systemFieldName)
            if !sort.ascending { writer.member("ascending", false) }
            if let location = sort.relativeLocation {
                writer.key("relativeLocation")
                writer.object { writer in
                    writer.key("value")
                    writer.location(location)
                    writer.member("type", "LOCATION")
                }
            }
        }
    }
}
