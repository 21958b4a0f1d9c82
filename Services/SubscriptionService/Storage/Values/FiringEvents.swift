package import ServiceMessages

/// The kinds of change for which a query subscription fires, with the bits of CKQuerySubscription.Options.
package struct FiringEvents: OptionSet, Sendable, Hashable {
    /// The bits, as they are stored.
    package let rawValue: Int16

    /// Creates a set from its bits.
    package init(rawValue: Int16) { self.rawValue = rawValue }

    /// Records that are created.
    package static let create = FiringEvents(rawValue: 1)
    /// Records that are updated.
    package static let update = FiringEvents(rawValue: 2)
    /// Records that are deleted.
    package static let delete = FiringEvents(rawValue: 4)

    /// Each kind of change with its name in `firesOn`.
    package static let named: [(name: String, event: FiringEvents)] = [
        ("create", .create), ("update", .update), ("delete", .delete),
    ]

    /// The names of the set's members.
    package var names: [String] { Self.named.compactMap { contains($0.event) ? $0.name : nil } }

    /// Creates the set that contains only the given kind of change.
    package init(_ kind: ChangedRecord.Kind) {
        self =
            switch kind {
            case .created: .create
            case .updated: .update
            case .deleted: .delete
            }
    }
}
