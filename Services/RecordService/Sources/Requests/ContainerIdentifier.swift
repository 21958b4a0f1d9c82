internal import CloudKitModel

/// The rule for container identifiers.
enum ContainerIdentifier {
    /// Checks the identifier in an operator's request, and returns it.
    ///
    /// - Throws: `container_invalid`.
    static func validated(_ name: String) throws(ServerError) -> String {
        guard !name.isEmpty, name.utf8.count <= 255, name.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw ServerError(
                .containerInvalid, "Invalid container identifier; use 1 to 255 visible ASCII characters",
                field: "container")
        }
        return name
    }
}
