/// The two environments of a container: one learns its schema, the other is deployed to. The raw value is the
/// name on the wire.
package enum EnvironmentName: String, CaseIterable, Hashable, Sendable {
    /// Saving creates types and fields as needed.
    case development
    /// Types and fields are those that were deployed.
    case production
}
