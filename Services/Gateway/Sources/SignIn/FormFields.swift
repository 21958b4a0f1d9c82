/// The fields of a submitted form, `application/x-www-form-urlencoded`. If a name occurs twice, the first field is
/// used.
struct FormFields: Sendable {
    /// The maximum size of a body, in bytes. No form on the sign-in pages needs that much.
    static let maxBytes = 16_384

    private let values: QueryParameters

    /// Parses the body of a request; returns nil if the body is not a form, or is longer than ``maxBytes``.
    init?(_ body: [UInt8], contentType: String?) {
        let type = contentType?.prefix { $0 != ";" }.lowercased().split(separator: " ").first
        guard type == "application/x-www-form-urlencoded", body.count <= Self.maxBytes else { return nil }
        // In forms, unlike in URLs, a plus sign is a space.
        let text = String(decoding: body.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }, as: UTF8.self)
        values = QueryParameters(text)
    }

    /// The value of a field; nil if it is absent.
    subscript(name: String) -> String? { values[name] }
}
