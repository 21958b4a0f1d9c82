/// The permissions of a role on records of a type in the public database. The raw value is stored and never changes.
package struct Permissions: OptionSet, Hashable, Sendable {
    package let rawValue: Int16

    package init(rawValue: Int16) { self.rawValue = rawValue }

    /// Looking up records, and seeing them in queries and feeds.
    package static let read = Permissions(rawValue: 1)
    /// Creating records of the type.
    package static let create = Permissions(rawValue: 2)
    /// Changing and deleting records. When granted to `_creator`, this permission covers only the records that the user
    /// created.
    package static let write = Permissions(rawValue: 4)

    /// The permissions and their keywords, in printing order.
    package static let keywords: [(permission: Permissions, keyword: String)] = [
        (.read, "READ"), (.create, "CREATE"), (.write, "WRITE"),
    ]

    /// The keywords of the permissions in the set, in printing order.
    package var keywords: [String] { Self.keywords.filter { contains($0.permission) }.map(\.keyword) }
}
