internal import CloudKitModel
internal import CloudKitWire

/// The keys of operators' requests.
extension JSONValue {
    /// The text of a key; nil without it, or where it is null.
    ///
    /// - Throws: `BAD_REQUEST` when it is something else.
    func text(_ key: String) throws(ServerError) -> String? {
        guard let value = self[key], !value.isNull else { return nil }
        guard let text = value.string else { throw .wrongKind(key, expected: "a string") }
        return text
    }

    /// The whole number of a key; nil without it, or where it is null.
    ///
    /// - Throws: `BAD_REQUEST` when it is something else.
    func whole(_ key: String) throws(ServerError) -> Int? {
        guard let value = self[key], !value.isNull else { return nil }
        guard let number = value.int else { throw .wrongKind(key, expected: "a whole number") }
        return Int(number)
    }
}
