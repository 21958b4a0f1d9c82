internal import CloudKitModel
internal import CloudKitWire
internal import ServiceMessages

/// The fields of one operation, checked against the schema and ready to be laid over a record.
struct FieldChanges {
    /// New values in the types of their fields; nil clears.
    var values: [(name: String, value: FieldValue?)] = []
    /// What the schema does not know yet; the operation waits until it does.
    var unknown: [String: FieldType] = [:]

    /// Checks `fields` for a record of type `typeName`, whose schema is `type` (nil: not known).
    ///
    /// - Throws: the operation's error: a type conflict, a new field in production, an empty list for a new field.
    init(
        _ fields: [WireField], typeName: String, type: RecordTypeSchema?, zone: ZoneEntry, numbersAsStrings: Bool
    ) throws(ServerError) {
        values.reserveCapacity(fields.count)
        for field in fields {
            guard field.value != nil else {
                values.append((field.name, nil))
                continue
            }
            if field.isEncrypted, zone.address.scope == "public" {
                throw .encryptedInPublicDatabase(field: field.name)
            }
            if let known = type?.fields[field.name] {
                values.append(
                    (field.name, try field.value(as: known, recordType: typeName, numbersAsStrings: numbersAsStrings)))
                continue
            }
            guard !zone.database.isProduction else {
                throw .fieldNotInProduction(field: field.name, recordType: typeName)
            }
            guard let type = field.impliedType else {
                throw .emptyListCannotInitialize(field: field.name)
            }
            unknown[field.name] = type
        }
    }

    /// The record's fields after the change.
    ///
    /// - Parameter replacing: whether fields that are not named lose their values.
    func applied(to current: StoredFields?, replacing: Bool) -> StoredFields {
        var fields = replacing ? StoredFields() : current ?? StoredFields()
        for (name, value) in values {
            if let value { fields.set(name, value) } else { fields.remove(name) }
        }
        return fields
    }
}
