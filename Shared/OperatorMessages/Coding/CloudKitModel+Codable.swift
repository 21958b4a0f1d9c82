package import CloudKitModel

/// Encodes and decodes an environment's name as a string.
extension EnvironmentName: Codable {
    /// Decodes a name.
    ///
    /// - Throws: `environment_invalid` if the string is not the name of an environment.
    package init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let name = EnvironmentName(rawValue: text) else {
            throw ServerError(
                .environmentInvalid, "Unknown environment '\(text)'; use 'development' or 'production'",
                field: "environment")
        }
        self = name
    }
}

/// Encodes and decodes a database scope as its ``wireName``.
extension DatabaseScope: Codable {
    /// Decodes a name.
    ///
    /// - Throws: `wrong_kind` if the string is not the name of a scope.
    package init(from decoder: any Decoder) throws {
        guard let scope = DatabaseScope(wireName: try decoder.singleValueContainer().decode(String.self)) else {
            throw ServerError.wrongKind("database", expected: "'public', 'private' or 'shared'")
        }
        self = scope
    }

    /// Encodes the name.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(wireName)
    }
}
