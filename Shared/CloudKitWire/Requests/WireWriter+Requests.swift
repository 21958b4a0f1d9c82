package import CloudKitModel

/// Writes requests, for the command line and tests.
extension WireWriter {
    /// Writes the body of `records/modify`.
    package mutating func modifyRecords(_ request: ModifyRecordsRequest) {
        beginObject()
        key("operations")
        beginArray()
        for operation in request.operations { self.operation(operation) }
        endArray()
        optionalZone(request.zoneID)
        member("atomic", request.atomic)
        member("desiredKeys", request.desiredKeys)
        if request.numbersAsStrings { member("numbersAsStrings", true) }
        endObject()
    }

    /// Writes an operation of `records/modify`.
    package mutating func operation(_ operation: WireOperation) {
        beginObject()
        member("operationType", operation.kind?.rawValue ?? operation.unknownKind)
        key("record")
        record(operation.record)
        member("desiredKeys", operation.desiredKeys)
        member("numbersAsStrings", operation.numbersAsStrings)
        endObject()
    }

    /// Writes an operation of `records/modify`.
    package mutating func operation(_ kind: RecordOperation.Kind, _ record: WireRecord) {
        operation(WireOperation(kind, record))
    }

    /// Writes a record dictionary as a client sends it.
    package mutating func record(_ record: WireRecord) {
        beginObject()
        member("recordName", record.recordName)
        member("recordType", record.recordType)
        member("recordChangeTag", record.recordChangeTag)
        if !record.fields.isEmpty {
            key("fields")
            beginObject()
            for field in record.fields { self.field(field) }
            endObject()
        }
        switch record.parent {
        case .absent: break
        case .clear:
            key("parent")
            null()
        case .set(let name):
            key("parent")
            beginObject()
            member("recordName", name)
            endObject()
        }
        if record.createShortGUID { member("createShortGUID", true) }
        endObject()
    }

    /// Writes a field's name and its value dictionary, with the declared type if there is one.
    package mutating func field(_ field: WireField) {
        key(field.name)
        beginObject()
        key("value")
        if let value = field.value { bareValue(value) } else { null() }
        if let type = field.declaredType { member("type", type.wireName) }
        if field.isEncrypted { member("isEncrypted", true) }
        endObject()
    }

    /// Writes the body of `records/lookup`.
    package mutating func lookupRecords(_ request: LookupRecordsRequest) {
        beginObject()
        key("records")
        beginArray()
        for item in request.records {
            beginObject()
            member("recordName", item.recordName)
            member("desiredKeys", item.desiredKeys)
            endObject()
        }
        endArray()
        optionalZone(request.zoneID)
        member("desiredKeys", request.desiredKeys)
        if request.numbersAsStrings { member("numbersAsStrings", true) }
        endObject()
    }

    /// Writes the body of `changes/zone`.
    package mutating func zoneChanges(_ request: ZoneChangesRequest) {
        beginObject()
        key("zones")
        beginArray()
        for zone in request.zones {
            beginObject()
            optionalZone(zone.zoneID)
            member("syncToken", zone.syncToken)
            member("desiredKeys", zone.desiredKeys)
            member("desiredRecordTypes", zone.desiredRecordTypes)
            member("resultsLimit", zone.resultsLimit)
            if zone.reverse { member("reverse", true) }
            if zone.numbersAsStrings { member("numbersAsStrings", true) }
            endObject()
        }
        endArray()
        endObject()
    }

    /// Writes the body of `changes/database`.
    package mutating func databaseChanges(_ request: DatabaseChangesRequest) {
        beginObject()
        member("syncToken", request.syncToken)
        member("metaSyncToken", request.metaSyncToken)
        member("resultsLimit", request.resultsLimit)
        endObject()
    }

    /// Writes the body of `zones/modify`.
    package mutating func modifyZones(_ request: ModifyZonesRequest) {
        beginObject()
        key("operations")
        beginArray()
        for operation in request.operations {
            beginObject()
            switch operation.kind {
            case .create: member("operationType", "create")
            case .delete: member("operationType", "delete")
            case .other(let word): member("operationType", word)
            }
            key("zone")
            beginObject()
            optionalZone(operation.zoneID)
            endObject()
            endObject()
        }
        endArray()
        endObject()
    }

    /// Writes the body of `zones/lookup`.
    package mutating func lookupZones(_ request: LookupZonesRequest) {
        beginObject()
        key("zones")
        beginArray()
        for zoneID in request.zones { self.zoneID(zoneID, withType: false) }
        endArray()
        endObject()
    }

    private mutating func optionalZone(_ zoneID: ZoneID?) {
        guard let zoneID else { return }
        key("zoneID")
        self.zoneID(zoneID, withType: false)
    }
}
