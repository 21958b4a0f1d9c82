internal import CloudKitModel
internal import CloudKitWire

/// The keys of operators' and internal requests.
extension JSONValue {
    /// The string of a key; nil when the key is missing or null.
    ///
    /// - Throws: `BAD_REQUEST` for a value of another kind.
    func text(_ key: String) throws(ServerError) -> String? {
        guard let value = self[key], !value.isNull else { return nil }
        guard let text = value.string else { throw .wrongKind(key, expected: "a string") }
        return text
    }

    /// The whole number of a key; nil when the key is missing or null.
    ///
    /// - Throws: `BAD_REQUEST` for a value of another kind.
    func whole(_ key: String) throws(ServerError) -> Int? {
        guard let value = self[key], !value.isNull else { return nil }
        guard let number = value.int else { throw .wrongKind(key, expected: "a whole number") }
        return Int(number)
    }
}
