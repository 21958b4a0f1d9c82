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

    /// The type that a schema which does not know the field learns from it: the declared one, else the one of the
    /// value. A single plain number of undeclared kind is a NUMBER, which later values of either kind fit.
    /// - Throws: `BAD_REQUEST` for an empty list of unknown kind, and for a kind that is never encrypted.
    package func learntType() throws(ServerError) -> FieldType {
        guard var type = declaredType ?? value?.type else { throw .emptyListCannotInitialize(field: name) }
        guard isEncrypted else {
            return declaredType == nil && (type == .int64 || type == .double) ? .number : type
        }
        guard type.base != .reference, type.base != .asset else { throw .neverEncrypted(type.wireName, field: name) }
        type.isEncrypted = true
        return type
    }
}
