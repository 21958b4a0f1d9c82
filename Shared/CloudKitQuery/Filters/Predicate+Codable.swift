package import CloudKitModel
package import CloudKitWire

/// The JSON of a predicate is a filter (web-services 3.7), or several filters combined by `and`, `or` and `not`:
/// `{"comparator": "EQUALS", "fieldName": "n", "fieldValue": {"value": 5, "type": "INT64"}}`, `{"and": []}`.
extension Predicate: Codable {
    /// Creates a predicate from its JSON.
    ///
    /// - Throws: a `BAD_REQUEST` error that names the field of the invalid filter.
    package init(parsing json: [UInt8]) throws(ServerError) {
        self = try Predicate(filters: [WireFilter(decoding: json)])
    }

    /// The predicate as JSON.
    package var json: JSONValue {
        var writer = WireWriter()
        writer.filter(filter)
        // The writer produced this JSON, so parsing succeeds.
        return (try? JSONValue(parsing: writer.bytes)) ?? nil
    }

    /// Decodes the output of ``encode(to:)``.
    package init(from decoder: any Decoder) throws {
        try self.init(parsing: try JSONValue(from: decoder).encoded())
    }

    /// Encodes ``json``.
    package func encode(to encoder: any Encoder) throws { try json.encode(to: encoder) }
}
