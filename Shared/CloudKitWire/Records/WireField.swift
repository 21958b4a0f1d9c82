package import CloudKitModel

/// One field of a record as sent by a client.
package struct WireField: Hashable, Sendable {
    /// The field's name. In requests, it is an identifier that is not reserved.
    package var name: String
    /// The value; nil clears the field.
    package var value: FieldValue?
    /// The type that the client declared; nil if it declared no type, or only that the value is a list.
    package var declaredType: FieldType?
    /// Whether the client set `isEncrypted`, with or without a type.
    package var isEncrypted: Bool

    /// Creates a field.
    package init(
        name: String, value: FieldValue?, declaredType: FieldType? = nil, isEncrypted: Bool = false
    ) {
        self.name = name
        self.value = value
        self.declaredType = declaredType
        self.isEncrypted = isEncrypted || declaredType?.isEncrypted == true
    }

    /// Returns the type that this field gets when it is added to a schema that does not contain it yet: the declared
    /// type or, if there is none, the type of the value. A single plain number without a declared type becomes a
    /// NUMBER, which later accepts both integers and doubles.
    /// - Throws: `BAD_REQUEST` for an empty list without an element type, and for an encrypted value of a type that
    ///   cannot be encrypted.
    package func inferredType() throws(ServerError) -> FieldType {
        guard var type = declaredType ?? value?.type else { throw .emptyListCannotInitialize(field: name) }
        guard isEncrypted else {
            return declaredType == nil && (type == .int64 || type == .double) ? .number : type
        }
        guard type.base != .reference, type.base != .asset else { throw .neverEncrypted(type.wireName, field: name) }
        type.isEncrypted = true
        return type
    }
}
