internal import CloudKitModel
internal import CloudKitWire
internal import RecordStorage
internal import ServiceMessages

/// The fields of one operation, checked against the schema and ready to be applied to a record.
struct FieldChanges {
    /// The new values, converted to the types of their fields; nil clears a field.
    var values: [(name: String, value: FieldValue?)] = []
    /// The fields that the schema lacks. The operation waits until they are added.
    var unknown: [String: FieldType] = [:]
    /// Whether any value contains assets, which must be admitted.
    private(set) var hasAssets = false
    /// The links that the values create. Their targets must exist.
    private(set) var links: [RecordLink] = []

    /// Checks `fields` for a record of the type `typeName`, whose schema is `type` (nil if the type does not exist).
    ///
    /// - Throws: the operation's error, such as a type conflict, a new field in production, or an empty list for a new
    ///   field.
    init(
        _ fields: [WireField], typeName: String, type: RecordTypeSchema?, zone: ZoneEntry, isShared: Bool = false,
        numbersAsStrings: Bool
    ) throws(ServerError) {
        values.reserveCapacity(fields.count)
        for field in fields {
            guard field.value != nil else {
                values.append((field.name, nil))
                continue
            }
            let isEncrypted = field.isEncrypted || type?.fields[field.name]?.isEncrypted == true
            if isEncrypted, zone.address.scope == .public {
                throw .encryptedInPublicDatabase(field: field.name)
            }
            if let known = type?.fields[field.name] {
                let value = try field.value(as: known, recordType: typeName, numbersAsStrings: numbersAsStrings)
                if known.base == .asset { hasAssets = true }
                if known.base == .reference, let value { try take(value, of: field.name, in: zone, isShared) }
                values.append((field.name, value))
                continue
            }
            guard !zone.database.isProduction else {
                throw .fieldNotInProduction(field: field.name, recordType: typeName)
            }
            unknown[field.name] = try field.inferredType()
        }
    }

    /// Adds the links that the references in a value create.
    ///
    /// - Throws: an error if a target is in another zone, because references must not leave their zone (semantics 5.1).
    private mutating func take(
        _ value: FieldValue, of field: String, in zone: ZoneEntry, _ isShared: Bool
    ) throws(ServerError) {
        for reference in value.references {
            guard reference.isInZone(zone.address, isShared: isShared) else { throw .referenceLeavesZone(field: field) }
        }
        links += value.links(of: field)
    }

    /// Whether any asset lacks a receipt. If so, the current record determines whether the asset is allowed to be
    /// saved.
    var hasUnprovenAssets: Bool {
        hasAssets && values.contains { $0.value?.assets.contains { $0.receipt == nil } ?? false }
    }

    /// Replaces the assets in the request with the assets to be stored. Does nothing if there are none.
    ///
    /// - Parameter user: the user who saves the record, for whom the receipts must be valid.
    /// - Throws: the operation's error for an asset that is not allowed to be saved.
    mutating func admitAssets(
        by admission: AssetAdmission, type: RecordTypeSchema, present: StoredFields?, zone: ZoneAddress,
        savedBy user: String, now: Int64
    ) throws(ServerError) {
        guard hasAssets else { return }
        let scope = AssetScope(zone, savedBy: user)
        for index in values.indices {
            let (name, value) = values[index]
            guard let value, let fieldType = type.fields[name], fieldType.base == .asset else { continue }
            values[index].value = try admission.admit(
                value, of: name, present: { (try? present?.value(name, as: fieldType)) ?? nil }, in: scope, at: now)
        }
    }

    /// Returns the record's fields after the change.
    ///
    /// - Parameter replacing: whether to clear the fields that the operation does not name.
    func applied(to current: StoredFields?, replacing: Bool) -> StoredFields {
        var fields = replacing ? StoredFields() : current ?? StoredFields()
        for (name, value) in values {
            if let value { fields.set(name, value) } else { fields.remove(name) }
        }
        return fields
    }
}

extension FieldValue {
    /// The references in the value, in order. Only a list can contain more than one.
    fileprivate var references: [Reference] {
        switch self {
        case .reference(let reference): [reference]
        case .list(let elements, of: .reference): elements.flatMap(\.references)
        default: []
        }
    }
}

extension Reference {
    /// Returns whether the target is in the zone `address`. The owner, if given, must be one of the caller's names
    /// (``ZoneAccess``) or, in the shared database, the name of the zone's owner.
    fileprivate func isInZone(_ address: ZoneAddress, isShared: Bool) -> Bool {
        guard let zoneID else { return true }
        let own = (isShared ? [] : [RequestContext.defaultOwner, "_defaultOwner"]) + [address.owner]
        return zoneID.zoneName == address.zone
            && zoneID.ownerRecordName.map { own.contains($0.rawValue) } ?? true
    }
}
