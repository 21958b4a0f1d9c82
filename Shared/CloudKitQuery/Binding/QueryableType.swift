package import CloudKitModel

/// The properties of a record type that are needed to bind predicates to it.
package protocol QueryableType {
    /// The type's name, for error messages.
    var name: String { get }

    /// Returns the type of a field; nil if the record type does not have the field.
    func type(ofField name: String) -> FieldType?

    /// The fields that are searched for words, with their types, sorted by name.
    var fieldsOfWords: [SearchableField] { get }
}

/// A string or string-list field that is searched for words.
package struct SearchableField: Hashable, Sendable {
    /// The field's name.
    package let name: String
    /// STRING or STRING_LIST.
    package let type: FieldType

    /// Creates a field.
    package init(name: String, type: FieldType) {
        self.name = name
        self.type = type
    }
}
