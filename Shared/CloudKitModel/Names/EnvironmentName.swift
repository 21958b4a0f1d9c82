/// The two environments of a container. Saves extend the schema of the development environment; the schema of the
/// production environment changes only by deployment. The raw value is the name on the wire.
package enum EnvironmentName: String, CaseIterable, Hashable, Sendable {
    /// Saves create missing types and fields.
    case development
    /// Only deployed types and fields exist.
    case production

    /// Creates the environment from a name read from a table, which is always one of the two names.
    package init(stored name: String) { self = name == Self.production.rawValue ? .production : .development }
}
