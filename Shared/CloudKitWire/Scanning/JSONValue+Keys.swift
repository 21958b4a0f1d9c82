package import CloudKitModel

/// Reads the keys of a request's body. A key whose value is null is treated as absent.
extension JSONValue {
    /// Returns the string value of a key; nil if the key is absent.
    ///
    /// - Throws: `BAD_REQUEST` for a value of another kind.
    package func text(_ key: String) throws(ServerError) -> String? {
        guard let value = self[key], !value.isNull else { return nil }
        guard let text = value.string else { throw .wrongKind(key, expected: "a string") }
        return text
    }

    /// Returns the integer value of a key; nil if the key is absent.
    ///
    /// - Throws: `BAD_REQUEST` for a value of another kind.
    package func whole(_ key: String) throws(ServerError) -> Int? {
        guard let value = self[key], !value.isNull else { return nil }
        guard let number = value.int else { throw .wrongKind(key, expected: "a whole number") }
        return Int(number)
    }

    /// Returns the boolean value of a key; `false` if the key is absent.
    ///
    /// - Throws: `BAD_REQUEST` for a value of another kind.
    package func flag(_ key: String) throws(ServerError) -> Bool {
        guard let value = self[key], !value.isNull else { return false }
        guard let flag = value.bool else { throw .wrongKind(key, expected: "true or false") }
        return flag
    }
}
