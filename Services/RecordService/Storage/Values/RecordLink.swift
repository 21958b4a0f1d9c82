package import CloudKitModel
package import CloudKitWire

/// A reference that has an effect when its target is deleted. The record that contains the reference is its source.
/// Plain references (`NONE`) are not links, because they have no effect (semantics 5.1).
package struct RecordLink: Sendable, Hashable {
    /// The effect of a link. The raw value is stored.
    package enum Action: Int16, Sendable {
        /// The source is deleted with the target.
        case deleteSelf = 1
        /// The target must exist, and cannot be deleted while the source exists.
        case validate = 2
        /// Like ``validate``; the target is the parent of the source in a sharing hierarchy.
        case parent = 3
    }

    /// The field name under which a record's parent is stored.
    package static let parentField = "___parent"

    /// The name of the target. The target is in the same zone as the source.
    package var target: RecordName
    /// The effect of the link.
    package var action: Action
    /// The field that contains the reference.
    package var field: String

    /// Creates a link from its parts.
    package init(target: RecordName, action: Action, field: String) {
        self.target = target
        self.action = action
        self.field = field
    }

    /// Whether the source is deleted with the target.
    package var isOwning: Bool { action == .deleteSelf }

    /// The field's name in error messages.
    package var shownField: String { field == Self.parentField ? "parent" : field }
}

extension RecordTypeSchema {
    /// Returns the links of a record of this type; none for a deleted record.
    package func links(in fields: StoredFields?, parent: RecordName?) -> Set<RecordLink> {
        guard let fields else { return [] }
        var links: Set<RecordLink> = []
        if let parent {
            links.insert(RecordLink(target: parent, action: .parent, field: RecordLink.parentField))
        }
        for name in referenceFields where fields.raw(name) != nil {
            // A value that cannot be decoded has no links. No such value is expected, because the schema never changes
            // the type of a field that has values.
            guard let type = storedType(of: name), let value = try? fields.value(name, as: type) else { continue }
            links.formUnion(value.links(of: name))
        }
        return links
    }
}

extension FieldValue {
    /// Returns the links in the value of `field`: at most one for a reference, and any number for a list of references.
    package func links(of field: String) -> [RecordLink] {
        switch self {
        case .reference(let reference):
            RecordLink.Action(reference.action).map {
                [RecordLink(target: reference.recordName, action: $0, field: field)]
            } ?? []
        case .list(let elements, of: .reference): elements.flatMap { $0.links(of: field) }
        default: []
        }
    }
}

extension RecordLink.Action {
    /// The action of a reference; nil for `NONE`.
    fileprivate init?(_ action: Reference.Action) {
        switch action {
        case .none: return nil
        case .deleteSelf: self = .deleteSelf
        case .validate: self = .validate
        }
    }
}
