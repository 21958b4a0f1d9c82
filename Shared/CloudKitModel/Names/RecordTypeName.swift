/// The name of a record type.
package struct RecordTypeName: Hashable, Sendable, CustomStringConvertible {
    /// The name on the wire and in storage; compared exactly, case included.
    package let rawValue: String

    /// Creates a name after checking it. Accepts an ASCII letter followed by ASCII letters, digits and `_`, at most 255
    /// bytes in total. Also accepts the names of system types.
    /// - Throws: `ValidationError` for the violated rule.
    package init(validating name: String) throws(ValidationError) {
        if name != Self.share.rawValue { try NameRules.checkIdentifier(name, kind: .recordType) }
        rawValue = name
    }

    /// Creates a name without checks, for names that have already been checked, such as those read from storage.
    package init(unchecked name: String) { rawValue = name }

    /// The name itself.
    package var description: String { rawValue }

    /// The type of the records that describe a share.
    package static let share = RecordTypeName(unchecked: "cloudkit.share")
    /// The type of user records, which exist without being created.
    package static let users = RecordTypeName(unchecked: "Users")

    /// Whether this is a system type.
    package var isSystem: Bool { self == .share || self == .users }
}
