internal import CloudKitModel
internal import CloudKitWire
internal import GatewayStorage

/// By what a caller asks for a person. What it asked for is in the answer, and nothing that it did not know already
/// beside the name.
enum UserLookup: Hashable, Sendable {
    case email(String)
    case name(String)
    /// By telephone number, or something that nobody has.
    case unknown

    /// People of one request.
    static let maxPerRequest = 200

    /// The entries of `key`: a list, or the one that stands for a list of one; nil when there is no such key.
    ///
    /// - Throws: `BAD_REQUEST`.
    static func list(_ key: String, in body: JSONValue) throws(ServerError) -> [UserLookup]? {
        guard let value = body[key], !value.isNull else { return nil }
        guard let elements = value.members == nil ? value.array : [value] else {
            throw .wrongKind(key, expected: "an array")
        }
        guard elements.count <= maxPerRequest else {
            throw .tooMany(key, limit: maxPerRequest, actual: elements.count)
        }
        var lookups: [UserLookup] = []
        for element in elements where !element.isNull {
            guard element.members != nil else { throw .wrongKind(key, expected: "an array of dictionaries") }
            lookups.append(try UserLookup(element))
        }
        return lookups
    }

    private init(_ element: JSONValue) throws(ServerError) {
        let email = try Self.text("emailAddress", of: element)
        let name = try Self.text("userRecordName", of: element)
        _ = try Self.text("phoneNumber", of: element)
        // What cannot be anybody's is not looked for: PostgreSQL has no text with a NUL in it.
        if let email {
            self = EmailAddress(email) == nil ? .unknown : .email(email)
        } else if let name, (try? UserName(validating: name)) != nil {
            self = .name(name)
        } else {
            self = .unknown
        }
    }

    private static func text(_ key: String, of object: JSONValue) throws(ServerError) -> String? {
        guard let value = object[key], !value.isNull else { return nil }
        guard let text = value.string else { throw .wrongKind(key, expected: "a string") }
        return text
    }
}
