internal import CloudKitModel
internal import CloudKitWire
internal import RecordStorage
internal import ServiceMessages

/// The fields of one operation, checked against the schema and ready to be applied to a record.
struct FieldChanges {
    /// New values in the types of their fields; nil clears.
    var values: [(name: String, value: FieldValue?)] = []
    /// The fields that the schema lacks; the operation waits until it has them.
    var unknown: [String: FieldType] = [:]
    /// Whether a value contains assets, which have to be admitted.
    private(set) var hasAssets = false
    /// The links that the values make, whose targets have to exist.
    private(set) var links: [RecordLink] = []

    /// Checks `fields` for a record of type `typeName` with the schema `type` (nil if unknown).
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
            let isEncrypted = field.isEncrypted || type?.fields[field.name]?.isEncrypted == true
            if isEncrypted, zone.address.scope == .public {
                throw .encryptedInPublicDatabase(field: field.name)
            }
            if let known = type?.fields[field.name] {
                let value = try field.value(as: known, recordType: typeName, numbersAsStrings: numbersAsStrings)
                if known.base == .asset { hasAssets = true }
                if known.base == .reference, let value { try take(value, of: field.name, in: zone) }
                values.append((field.name, value))
                continue
            }
            guard !zone.database.isProduction else {
                throw .fieldNotInProduction(field: field.name, recordType: typeName)
            }
            unknown[field.name] = try field.inferredType()
        }
    }

    /// Adds the links that a value of references makes.
    ///
    /// - Throws: when a target is in another zone: references do not leave their zone (semantics 5.1).
    private mutating func take(_ value: FieldValue, of field: String, in zone: ZoneEntry) throws(ServerError) {
        for reference in value.references {
            guard reference.isInZone(zone.address) else { throw .referenceLeavesZone(field: field) }
        }
        links += value.links(of: field)
    }

    /// Whether an asset has no receipt, so that the present record decides whether it may be saved.
    var hasUnprovenAssets: Bool {
        hasAssets && values.contains { $0.value?.assets.contains { $0.receipt == nil } ?? false }
    }

    /// Replaces the assets that were sent by those to be stored. Costs nothing if there are none.
    ///
    /// - Throws: the operation's error for an asset that may not be saved.
    mutating func admitAssets(
        by admission: AssetAdmission, type: RecordTypeSchema, present: StoredFields?, zone: ZoneAddress, now: Int64
    ) throws(ServerError) {
        guard hasAssets else { return }
        let scope = AssetScope(zone)
        for index in values.indices {
            let (name, value) = values[index]
            guard let value, let fieldType = type.fields[name], fieldType.base == .asset else { continue }
            values[index].value = try admission.admit(
                value, of: name, present: { (try? present?.value(name, as: fieldType)) ?? nil }, in: scope, at: now)
        }
    }

    /// Returns the record's fields after the change.
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

extension FieldValue {
    /// The references of the value, in order: one, those of a list, or none.
    fileprivate var references: [Reference] {
        switch self {
        case .reference(let reference): [reference]
        case .list(let elements, of: .reference): elements.flatMap(\.references)
        default: []
        }
    }
}

extension Reference {
    /// Whether the target is in the zone `address`. Its owner, if one is given, is the caller under any of the caller's
    /// names (``ZoneAccess``).
    fileprivate func isInZone(_ address: ZoneAddress) -> Bool {
        guard let zoneID else { return true }
        let own = [RequestContext.defaultOwner, "_defaultOwner", address.owner]
        return zoneID.zoneName == address.zone
            && zoneID.ownerRecordName.map { own.contains($0.rawValue) } ?? true
    }
}
