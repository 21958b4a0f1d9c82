internal import CloudKitModel
package import CloudKitWire

/// The information that is needed to read and write the records of a type. The layout is a class, so that passing it
/// along for each record in an answer is cheap.
package final class RecordLayout: Sendable {
    /// The type's name.
    package let name: String
    /// The types of all fields, including hidden ones.
    package let fields: FieldTypes
    /// Whether any field can contain assets. Answers add a download address to each asset.
    package let hasAssets: Bool

    /// Creates the layout of a type's records.
    init(_ type: RecordTypeSchema) {
        name = type.name
        hasAssets = !type.assetFields.isEmpty
        var fields = FieldTypes(type.fields)
        for (name, hidden) in type.hiddenFields { fields.set(name, hidden, isHidden: true) }
        self.fields = fields
    }

    /// Creates the layout of a type's records in the change log, which contains no encrypted fields.
    init(logging type: RecordTypeSchema) {
        name = type.name
        hasAssets = !type.assetFields.isEmpty
        var fields = FieldTypes()
        for (name, field) in type.fields { fields.set(name, field, isHidden: field.isEncrypted) }
        for (name, hidden) in type.hiddenFields { fields.set(name, hidden, isHidden: true) }
        self.fields = fields
    }
}
