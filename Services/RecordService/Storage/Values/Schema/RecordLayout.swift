internal import CloudKitModel
package import CloudKitWire

/// By what the records of a type are read and told. A reference: it is passed on for each record of an answer.
package final class RecordLayout: Sendable {
    /// The type's name.
    package let name: String
    /// The types of all fields, hidden ones too.
    package let fields: FieldTypes
    /// Whether some hold assets, which come with an address.
    package let hasAssets: Bool

    /// The layout of a type's records.
    init(_ type: RecordTypeSchema) {
        name = type.name
        hasAssets = !type.assetFields.isEmpty
        var fields = FieldTypes(type.fields)
        for (name, hidden) in type.hiddenFields { fields.set(name, hidden, isHidden: true) }
        self.fields = fields
    }

    /// The layout of a type's records in the change log: what is encrypted is nobody's business there.
    init(logging type: RecordTypeSchema) {
        name = type.name
        hasAssets = !type.assetFields.isEmpty
        var fields = FieldTypes()
        for (name, field) in type.fields { fields.set(name, field, isHidden: field.isEncrypted) }
        for (name, hidden) in type.hiddenFields { fields.set(name, hidden, isHidden: true) }
        self.fields = fields
    }
}
