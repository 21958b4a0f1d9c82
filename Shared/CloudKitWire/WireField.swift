package import CloudKitModel

/// One field of a record as a client wrote it.
package struct WireField: Hashable, Sendable {
    /// The field's name, an identifier and not a reserved one.
    package var name: String
    /// The value; nil clears the field.
    package var value: FieldValue?
    /// The type the client named; nil if it named none, or only "a list".
    package var declaredType: FieldType?
    /// Whether the client said `isEncrypted`, with or without a type.
    package var isEncrypted: Bool

    /// A field.
    package init(
        name: String, value: FieldValue?, declaredType: FieldType? = nil, isEncrypted: Bool = false
    ) {
        self.name = name
        self.value = value
        self.declaredType = declaredType
        self.isEncrypted = isEncrypted || declaredType?.isEncrypted == true
    }

    /// The type that a schema which does not know the field would learn from it: the declared one, else the one
    /// of the value. Nil for a field that is being cleared, and for an empty list of unknown kind.
    package var impliedType: FieldType? {
        guard var type = declaredType ?? value?.type else { return nil }
        type.isEncrypted = isEncrypted
        return type
    }
}
