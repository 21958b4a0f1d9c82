package import CloudKitModel
package import CloudKitWire

/// A reference that does something when its target goes, as its source holds it. Plain references (`NONE`) are no links:
/// nothing is ever done about them (semantics 5.1).
package struct RecordLink: Sendable, Hashable {
    /// What the link is for. The raw value is the one in storage.
    package enum Action: Int16, Sendable {
        /// The source goes with the target.
        case deleteSelf = 1
        /// The target has to be there, and stays while the source is.
        case validate = 2
        /// As `validate`, for the record's place in a sharing hierarchy.
        case parent = 3
    }

    /// The field's name under which a record's parent is kept.
    package static let parentField = "___parent"

    /// The target's name; its zone is the source's.
    package var target: RecordName
    /// What the link is for.
    package var action: Action
    /// The field that holds it.
    package var field: String

    /// A link of those parts.
    package init(target: RecordName, action: Action, field: String) {
        self.target = target
        self.action = action
        self.field = field
    }

    /// Whether the source goes with the target.
    package var isOwning: Bool { action == .deleteSelf }

    /// The field as errors name it.
    package var shownField: String { field == Self.parentField ? "parent" : field }
}

extension RecordTypeSchema {
    /// The links of a record of this type; none of a deleted one.
    package func links(in fields: StoredFields?, parent: RecordName?) -> Set<RecordLink> {
        guard let fields else { return [] }
        var links: Set<RecordLink> = []
        if let parent {
            links.insert(RecordLink(target: parent, action: .parent, field: RecordLink.parentField))
        }
        for name in referenceFields where fields.raw(name) != nil {
            // A value that cannot be read links to nothing: the schema never re-types a field that has values.
            guard let type = storedType(of: name), let value = try? fields.value(name, as: type) else { continue }
            links.formUnion(value.links(of: name))
        }
        return links
    }
}

extension FieldValue {
    /// The links that the value of `field` makes: a reference's, or those of a list of them.
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
