package import CloudKitModel

/// A query dictionary (web-services 3.7) as a client wrote it: names and values, of which nothing is known to fit.
package struct WireQuery: Hashable, Sendable {
    /// Whose records are asked for.
    package var recordType: String
    /// All have to match.
    package var filterBy: [WireFilter]
    /// The order of the results, the first sort deciding first.
    package var sortBy: [WireSort]

    /// A query to send.
    package init(recordType: String, filterBy: [WireFilter] = [], sortBy: [WireSort] = []) {
        self.recordType = recordType
        self.filterBy = filterBy
        self.sortBy = sortBy
    }
}

/// An element of `filterBy`: a filter of CloudKit's, or several joined by `and`, `or` and `not`, which CloudKit does not
/// have.
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
    /// What is asked, e.g. `NOT_EQUALS`.
    package var comparator: String
    /// The field, when it is the type's.
    package var fieldName: String?
    /// The field, when it is the system's.
    package var systemFieldName: String?
    /// What it is compared with.
    package var fieldValue: WireField?
    /// A radius in metres.
    package var distance: Double?
    /// `c`, `d` or `cd`: what is of no account when texts are compared. CloudKit does not have it.
    package var options: String?

    /// A filter to send.
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

    /// The field by whichever name.
    package var name: String? { fieldName ?? systemFieldName }
}

/// A sort dictionary.
package struct WireSort: Hashable, Sendable {
    /// The field, when it is the type's.
    package var fieldName: String?
    /// The field, when it is the system's.
    package var systemFieldName: String?
    /// Smallest first.
    package var ascending: Bool
    /// Sorted by the distance from here.
    package var relativeLocation: Location?

    /// A sort to send.
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
    /// Reads the JSON of one filter.
    /// - Throws: `BAD_REQUEST`.
    package init(decoding json: [UInt8]) throws(ServerError) {
        self = try JSONScanner.scan(json) { scanner throws(WireFault) in try scanner.filter() }
    }
}
