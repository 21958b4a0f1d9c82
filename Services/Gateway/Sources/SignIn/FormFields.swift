/// The fields of a form that a browser sent, `application/x-www-form-urlencoded`. Of a name that occurs twice the first
/// counts.
struct FormFields: Sendable {
    /// Larger than any form of ours with all its fields at their longest.
    static let maxBytes = 16_384

    private let values: QueryParameters

    /// Reads a body; nil when it is of another type, or too large for a form of ours.
    init?(_ body: [UInt8], contentType: String?) {
        let type = contentType?.prefix { $0 != ";" }.lowercased().split(separator: " ").first
        guard type == "application/x-www-form-urlencoded", body.count <= Self.maxBytes else { return nil }
        // A plus sign is a space here, and only here.
        let text = String(decoding: body.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }, as: UTF8.self)
        values = QueryParameters(text)
    }

    /// The value of a field; nil when it is absent.
    subscript(name: String) -> String? { values[name] }
}
