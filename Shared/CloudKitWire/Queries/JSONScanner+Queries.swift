internal import CloudKitModel

/// Query, filter and sort dictionaries.
extension JSONScanner {
    /// Scans a query dictionary. Returns nil for null.
    mutating func optionalQuery() throws(WireFault) -> WireQuery? {
        if try skipNull() { return nil }
        guard peek() == UInt8(ascii: "{") else { throw wrongKind("query", "a query dictionary") }
        var recordType: String?
        var query = WireQuery(recordType: "")
        try open(UInt8(ascii: "{"))
        var isFirst = true
        while let key = try nextKey(isFirst: &isFirst) {
            if matches(key, "recordType") {
                recordType = try optionalString("recordType")
            } else if matches(key, "filterBy") {
                try elements("filterBy") { scanner throws(WireFault) in query.filterBy.append(try scanner.filter()) }
            } else if matches(key, "sortBy") {
                try elements("sortBy") { scanner throws(WireFault) in query.sortBy.append(try scanner.sort("sortBy")) }
            } else {
                try skipValue()
            }
        }
        guard let recordType else { throw .content(.missingKey("recordType")) }
        query.recordType = recordType
        return query
    }

    /// Scans a filter dictionary, or a dictionary with the key `and`, `or` or `not`.
    mutating func filter() throws(WireFault) -> WireFilter {
        guard peek() == UInt8(ascii: "{") else { throw wrongKind("filterBy", "an array of dictionaries") }
        var comparison = WireComparison(comparator: "")
        var comparator: String?
        var compound: WireFilter?
        try open(UInt8(ascii: "{"))
        var isFirst = true
        while let key = try nextKey(isFirst: &isFirst) {
            if matches(key, "comparator") {
                comparator = try optionalString("comparator")
            } else if matches(key, "fieldName") {
                comparison.fieldName = try optionalString("fieldName")
            } else if matches(key, "systemFieldName") {
                comparison.systemFieldName = try optionalString("systemFieldName")
            } else if matches(key, "fieldValue") {
                comparison.fieldValue = try fieldValue(of: comparison.name)
            } else if matches(key, "distance") {
                comparison.distance = try distance()
            } else if matches(key, "options") {
                comparison.options = try optionalString("options")
            } else if matches(key, "and") {
                compound = .and(try filters("and"))
            } else if matches(key, "or") {
                compound = .or(try filters("or"))
            } else if matches(key, "not") {
                compound = .not(try filter())
            } else {
                try skipValue()
            }
        }
        if let compound {
            guard comparator == nil else { throw Self.twoFiltersInOne }
            return compound
        }
        guard let comparator else { throw .content(.missingKey("comparator")) }
        comparison.comparator = comparator
        return .comparison(comparison)
    }

    /// Scans a field value dictionary. If the filter's field precedes the value, an error in the value names that
    /// field.
    private mutating func fieldValue(of name: String?) throws(WireFault) -> WireField {
        do {
            return try field(named: "fieldValue", listsElements: true)
        } catch {
            throw error.namesField ? error : error.within(field: name ?? "fieldValue")
        }
    }

    private mutating func filters(_ key: StaticString) throws(WireFault) -> [WireFilter] {
        var filters: [WireFilter] = []
        try elements(key) { scanner throws(WireFault) in filters.append(try scanner.filter()) }
        return filters
    }

    private mutating func distance() throws(WireFault) -> Double? {
        if try skipNull() { return nil }
        guard isAtNumber else { throw wrongKind("distance", "a number of metres") }
        return try double(number())
    }

    /// Scans a sort dictionary. The location may be a field value dictionary or a bare location.
    mutating func sort(_ key: StaticString) throws(WireFault) -> WireSort {
        guard peek() == UInt8(ascii: "{") else { throw wrongKind(key, "an array of dictionaries") }
        var sort = WireSort()
        try open(UInt8(ascii: "{"))
        var isFirst = true
        while let key = try nextKey(isFirst: &isFirst) {
            if matches(key, "fieldName") {
                sort.fieldName = try optionalString("fieldName")
            } else if matches(key, "systemFieldName") {
                sort.systemFieldName = try optionalString("systemFieldName")
            } else if matches(key, "ascending") {
                sort.ascending = try optionalBool("ascending") ?? true
            } else if matches(key, "relativeLocation") {
                sort.relativeLocation = try relativeLocation()
            } else {
                try skipValue()
            }
        }
        return sort
    }

    private mutating func relativeLocation() throws(WireFault) -> Location? {
        if try skipNull() { return nil }
        let start = (position, depth)
        if let value = try field(named: "relativeLocation").value {
            guard case .location(let location) = value else {
                throw .content(.invalidValue(expected: "LOCATION", field: "relativeLocation"))
            }
            return location
        }
        (position, depth) = start
        return try location()
    }

    private static let twoFiltersInOne = WireFault.content(
        ServerError(
            .filterInvalid, "A filter must not combine a comparator with 'and', 'or' or 'not'", field: "comparator"))
}
