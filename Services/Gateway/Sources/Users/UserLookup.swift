internal import CloudKitModel
internal import CloudKitWire
internal import GatewayStorage

/// The property by which a caller looks up a user. The response repeats this property and adds the user's name.
enum UserLookup: Hashable, Sendable {
    case email(String)
    case name(String)
    /// A telephone number or an invalid value. It matches no user.
    case unknown

    /// The maximum number of look-ups in a request.
    static let maxPerRequest = 200

    /// Reads the look-ups under `key`, whose value can be an array or a single look-up. Returns nil if the key is
    /// absent.
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
        let email = try element.text("emailAddress")
        let name = try element.text("userRecordName")
        _ = try element.text("phoneNumber")
        // An invalid value is not looked up, because it could contain a NUL, which PostgreSQL does not accept in text.
        if let email {
            self = EmailAddress(email) == nil ? .unknown : .email(email)
        } else if let name, (try? UserName(validating: name)) != nil {
            self = .name(name)
        } else {
            self = .unknown
        }
    }
}
