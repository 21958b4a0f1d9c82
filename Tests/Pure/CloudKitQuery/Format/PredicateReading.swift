import CloudKitModel
import CloudKitQuery

extension Predicate {
    /// Parses `format`. `now()` is one second after the beginning of 1970.
    static func reading(_ format: String, _ arguments: [FormatArgument] = []) throws(PredicateFormatError) -> Predicate
    {
        try Predicate(format: format, arguments, now: 1_000)
    }

    /// Returns a comparison of a field's value.
    static func field(_ name: String, _ test: Test) -> Predicate { .comparison(Comparison(.field(name), .value, test)) }

    /// Returns a comparison of the elements of a list.
    static func anyElement(_ name: String, _ test: Test) -> Predicate {
        .comparison(Comparison(.field(name), .any, test))
    }

    /// Returns a search for words in all fields.
    static func search(_ words: String, _ coverage: Coverage = .all) -> Predicate {
        .comparison(Comparison(.allTokens, .value, .tokens(words, coverage)))
    }

    /// Returns a comparison of the record itself.
    static func record(_ test: Test) -> Predicate { .comparison(Comparison(.system(.recordName), .value, test)) }
}

extension FieldValue {
    static func reference(_ name: String) -> FieldValue {
        .reference(Reference(recordName: RecordName(unchecked: name)))
    }

    static func location(_ latitude: Double, _ longitude: Double) -> FieldValue {
        .location(Location(latitude: latitude, longitude: longitude))
    }
}
