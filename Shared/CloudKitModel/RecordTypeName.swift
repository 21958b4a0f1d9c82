/// The name of a record type.
package struct RecordTypeName: Hashable, Sendable, CustomStringConvertible {
    /// The name as it stands on the wire and in storage; compared exactly, case included.
    package let rawValue: String

    /// Accepts an ASCII letter followed by letters, digits and `_`, at most 255 bytes, and the system types.
    /// - Throws: `ValidationError` naming the broken rule.
    package init(validating name: String) throws(ValidationError) {
        if name != Self.share.rawValue { try NameRules.checkIdentifier(name, kind: .recordType) }
        rawValue = name
    }

    /// Takes a name that was checked before, such as one read from storage. Nothing is checked here.
    package init(unchecked name: String) { rawValue = name }

    /// The name itself.
    package var description: String { rawValue }

    /// The type of the records that describe a share.
    package static let share = RecordTypeName(unchecked: "cloudkit.share")
    /// The type of users' own records, which exist without being created.
    package static let users = RecordTypeName(unchecked: "Users")

    /// Whether the type is the system's rather than an application's.
    package var isSystem: Bool { self == .share || self == .users }
}
