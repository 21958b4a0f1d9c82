/// The two environments of a container. The development environment derives its schema from saves; the production
/// environment receives deployed schemas. The raw value is the name on the wire.
package enum EnvironmentName: String, CaseIterable, Hashable, Sendable {
    /// Saving creates types and fields as needed.
    case development
    /// Only deployed types and fields exist.
    case production

    /// The environment with a name that a table holds, which can only be one of the two.
    package init(stored name: String) { self = name == Self.production.rawValue ? .production : .development }
}
