package import CloudKitModel

/// What binding needs to know of a record type.
package protocol QueryableType {
    /// The type's name, for error texts.
    var name: String { get }

    /// The type of a field; nil: the record type does not have it.
    func type(ofField name: String) -> FieldType?

    /// The fields of texts that words are searched in, with their types, sorted by name.
    var fieldsOfWords: [SearchableField] { get }
}

/// A field of a text, or of a list of texts, in which words are searched.
package struct SearchableField: Hashable, Sendable {
    /// The field's name.
    package let name: String
    /// STRING or STRING_LIST.
    package let type: FieldType

    /// A field.
    package init(name: String, type: FieldType) {
        self.name = name
        self.type = type
    }
}
