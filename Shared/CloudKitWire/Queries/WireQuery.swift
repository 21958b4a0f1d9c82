package import CloudKitModel

/// A query dictionary (web-services 3.7) as sent by a client: names and values that have not been validated.
package struct WireQuery: Hashable, Sendable {
    /// The type of the records to search.
    package var recordType: String
    /// The filters. A record must match all of them.
    package var filterBy: [WireFilter]
    /// The sorts, in decreasing order of precedence.
    package var sortBy: [WireSort]

    /// Creates a query to send.
    package init(recordType: String, filterBy: [WireFilter] = [], sortBy: [WireSort] = []) {
        self.recordType = recordType
        self.filterBy = filterBy
        self.sortBy = sortBy
    }
}

/// An element of `filterBy`: a filter, or filters combined by `and`, `or` and `not`. CloudKit does not support such
/// combinations.
package indirect enum WireFilter: Hashable, Sendable {
    /// `{"and": […]}`
    case and([WireFilter])
    /// `{"or": […]}`
    case or([WireFilter])
    /// `{"not": …}`
    case not(WireFilter)
    /// A filter dictionary.
    case comparison(WireComparison)
}

/// A filter dictionary.
package struct WireComparison: Hashable, Sendable {
    /// The comparator, e.g. `NOT_EQUALS`.
    package var comparator: String
    /// The name of an application field.
    package var fieldName: String?
    /// The name of a system field.
    package var systemFieldName: String?
    /// The value with which the field is compared.
    package var fieldValue: WireField?
    /// A distance in metres.
    package var distance: Double?
    /// `c`, `d` or `cd`: the differences to ignore in string comparisons. CloudKit does not have this key.
    package var options: String?

    /// Creates a filter to send.
    package init(
        comparator: String, fieldName: String? = nil, systemFieldName: String? = nil, fieldValue: WireField? = nil,
        distance: Double? = nil, options: String? = nil
    ) {
        self.comparator = comparator
        self.fieldName = fieldName
        self.systemFieldName = systemFieldName
        self.fieldValue = fieldValue
        self.distance = distance
        self.options = options
    }

    /// The name of the field, whether it is an application field or a system field.
    package var name: String? { fieldName ?? systemFieldName }
}

/// A sort dictionary.
package struct WireSort: Hashable, Sendable {
    /// The name of an application field.
    package var fieldName: String?
    /// The name of a system field.
    package var systemFieldName: String?
    /// Whether the order is ascending, with the smallest value first.
    package var ascending: Bool
    /// The location from which distances are measured, to sort by distance; nil to sort by value.
    package var relativeLocation: Location?

    /// Creates a sort to send.
    package init(
        fieldName: String? = nil, systemFieldName: String? = nil, ascending: Bool = true,
        relativeLocation: Location? = nil
    ) {
        self.fieldName = fieldName
        self.systemFieldName = systemFieldName
        self.ascending = ascending
        self.relativeLocation = relativeLocation
    }
}

extension WireFilter {
    /// Decodes one filter from JSON.
    /// - Throws: `BAD_REQUEST` if the filter is invalid.
    package init(decoding json: [UInt8]) throws(ServerError) {
        self = try JSONScanner.scan(json) { scanner throws(WireFault) in try scanner.filter() }
    }
}
