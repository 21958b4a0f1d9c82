internal import CloudKitModel
internal import CloudKitWire
internal import Foundation

/// Records as JSON (web-services 3.1).
enum RecordCoding {
    /// Returns an operation that saves a record.
    ///
    /// - Parameter uploaded: the receipts of the record's ``newFiles(of:_:)``.
    /// - Throws: ``CKError/Code/invalidArguments`` for a field that cannot be saved.
    static func operation(
        saving record: CKRecord, _ policy: CKModifyRecordsOperation.RecordSavePolicy, _ uploaded: [AssetPlace: Asset]
    ) throws(CKError) -> [UInt8] {
        let state = record.state.withLock { state in
            state.sent = CKRecord.Sent(
                fields: state.fields.changeNumber, encrypted: state.encrypted.changeNumber, parent: state.system.parent)
            return state
        }
        let tag = state.system.changeTag
        // Shares are compared by their tags whatever the policy.
        let isCompared = policy == .ifServerRecordUnchanged || record is CKShare
        let kind = !isCompared ? "forceUpdate" : tag == nil ? "create" : "update"
        var members = [
            JSONValue.Member("recordName", .string(record.recordID.recordName)),
            JSONValue.Member("recordType", .string(record.recordType)),
        ]
        if isCompared, let tag { members.append(JSONValue.Member("recordChangeTag", .string(tag))) }
        members.append(JSONValue.Member("fields", .object(try fields(of: record, state, policy, uploaded))))
        if state.system.parentHasChanged || policy == .allKeys && state.system.parent != nil {
            let parent = state.system.parent.map { FieldCoding.reference($0, in: record.recordID.zoneID) }
            members.append(JSONValue.Member("parent", parent ?? .null))
        }
        if let share = record as? CKShare { members += ShareCoding.members(of: share) }
        return JSONValue.object([
            JSONValue.Member("operationType", .string(kind)), JSONValue.Member("record", .object(members)),
        ]).encoded()
    }

    private static func fields(
        of record: CKRecord, _ state: CKRecord.State, _ policy: CKModifyRecordsOperation.RecordSavePolicy,
        _ uploaded: [AssetPlace: Asset]
    ) throws(CKError) -> [JSONValue.Member] {
        guard state.encrypted.changedKeys.isEmpty else {
            throw CKError(
                .invalidArguments,
                "Encrypted values cannot be saved yet: this version of the library has no keys for them.")
        }
        var members: [JSONValue.Member] = []
        for key in savedKeys(of: state, policy).sorted() {
            let content = state.fields.values[key]
            for case .asset(let asset) in content?.elements ?? [] where !asset.belongs(to: record) {
                throw CKError(
                    .invalidArguments,
                    "The asset in the field '\(key)' belongs to another record. Make an asset for each record.")
            }
            members.append(
                JSONValue.Member(
                    key, try FieldCoding.json(of: content, for: key, in: record.recordID.zoneID, uploaded)))
        }
        return members
    }

    private static func savedKeys(
        of state: CKRecord.State, _ policy: CKModifyRecordsOperation.RecordSavePolicy
    ) -> Set<String> {
        let changed = Set(state.fields.changedKeys)
        guard policy == .allKeys else { return changed }
        // An asset that has not changed has no receipt, and need not be sent.
        return changed.union(state.fields.values.filter { !$0.value.containsAsset }.keys)
    }

    // MARK: - Assets

    /// Returns the files that have to be uploaded before a record is saved.
    static func newFiles(
        of record: CKRecord, _ policy: CKModifyRecordsOperation.RecordSavePolicy
    ) -> [(AssetPlace, URL)] {
        let state = record.state.copy
        let saved = savedKeys(of: state, policy)
        return assets(of: state).compactMap { place, asset in
            guard saved.contains(place.key), let file = asset.state.copy.file else { return nil }
            return (place, file)
        }
    }

    /// Returns the assets of a fetched record whose files have not been fetched.
    static func fetchedAssets(of record: CKRecord) -> [(AssetPlace, Asset)] {
        assets(of: record.state.copy).compactMap { place, asset in
            asset.state.copy.remote.flatMap { $0.downloadURL == nil ? nil : (place, $0) }
        }
    }

    /// Gives an asset of a fetched record its file.
    static func setFile(_ file: URL, at place: AssetPlace, in record: CKRecord) {
        for (other, asset) in assets(of: record.state.copy) where other == place {
            asset.state.withLock { $0.file = file }
        }
    }

    private static func assets(of state: CKRecord.State) -> [(AssetPlace, CKAsset)] {
        state.fields.values.flatMap { key, content -> [(AssetPlace, CKAsset)] in
            if case .asset(let asset) = content { return [(AssetPlace(key: key), asset)] }
            guard case .list(let elements) = content else { return [] }
            return elements.enumerated().compactMap { index, element in
                if case .asset(let asset) = element { (AssetPlace(key: key, index: index), asset) } else { nil }
            }
        }
    }

    /// Gives a saved record the system fields that the server has answered.
    static func adopt(_ json: JSONValue, into record: CKRecord, in database: WebDatabase) throws(CKError) {
        let system = try systemFields(from: json, zoneID: record.recordID.zoneID)
        record.state.withLock { state in
            let former = state.system
            state.system = system
            if system.share == nil { state.system.share = json["share"] == nil ? nil : former.share }
            // What changed during the save is still to be saved.
            if former.parentHasChanged, former.parent != state.sent.parent {
                (state.system.parent, state.system.parentHasChanged) = (former.parent, true)
            }
            state.fields.wereSaved(upTo: state.sent.fields)
            state.encrypted.wereSaved(upTo: state.sent.encrypted)
        }
        if let share = record as? CKShare { ShareCoding.adopt(json, into: share, in: database) }
    }

    /// The error of a record's save. In a conflict, it contains the records.
    static func error(_ fault: ServerFault, saving record: CKRecord, in database: WebDatabase) -> CKError {
        guard fault.code == .serverRecordChanged else { return fault.error() }
        var details: [String: Any] = [CKRecordChangedErrorClientRecordKey: record]
        if let json = fault.serverRecord,
            let server = try? self.record(from: json, in: database, zoneID: record.recordID.zoneID)
        {
            details[CKRecordChangedErrorServerRecordKey] = server
        }
        if record.recordChangeTag != nil, let ancestor = record.copy() as? CKRecord {
            ancestor.state.withLock { state in
                state.fields = state.fields.ancestor
                state.encrypted = state.encrypted.ancestor
            }
            details[CKRecordChangedErrorAncestorRecordKey] = ancestor
        }
        return fault.error(adding: details)
    }

    /// Reads a record.
    ///
    /// - Parameter zoneID: the zone, if the dictionary need not name it.
    /// - Throws: the error that the dictionary is; ``CKError/Code/internalError`` if it is not a record.
    static func record(
        from json: JSONValue, in database: WebDatabase, zoneID: CKRecordZoneID? = nil
    ) throws(CKError) -> CKRecord {
        if let fault = json.fault { throw fault.error() }
        guard let name = json["recordName"]?.string, let type = json["recordType"]?.string else {
            throw .unexpectedAnswer("a record has no name or no type")
        }
        let zone = database.zoneID(json["zoneID"]) ?? zoneID ?? .default
        var values: [String: FieldContent] = [:]
        for member in json["fields"]?.members ?? [] {
            values[member.key] = try FieldCoding.content(from: member.value, for: member.key, in: zone)
        }
        var state = CKRecord.State()
        state.system = try systemFields(from: json, zoneID: zone)
        state.fields.adopt(values)
        let id = CKRecordID(recordName: name, zoneID: zone)
        let record =
            type == CKRecord.SystemType.share
            ? ShareCoding.share(id, state, from: json, in: database) : CKRecord(type: type, id: id, state: state)
        for case .asset(let asset) in values.values.lazy.flatMap(\.elements) {
            asset.state.withLock { $0.owner = record }
        }
        return record
    }

    private static func systemFields(
        from json: JSONValue, zoneID: CKRecordZoneID
    ) throws(CKError) -> RecordSystemFields {
        guard let tag = json["recordChangeTag"]?.string else { throw .unexpectedAnswer("a record has no change tag") }
        var system = RecordSystemFields()
        system.changeTag = tag
        system.created = stamp(json["created"])
        system.modified = stamp(json["modified"])
        system.parent = json["parent"].flatMap { FieldCoding.reference(from: $0, in: zoneID) }
        system.share = json["share"].flatMap { FieldCoding.reference(from: $0, in: zoneID) }
        system.shortGUID = json["shortGUID"]?.string
        return system
    }

    private static func stamp(_ json: JSONValue?) -> RecordSystemFields.Stamp? {
        guard let time = json?["timestamp"]?.int else { return nil }
        return RecordSystemFields.Stamp(
            date: Date(wireMilliseconds: time),
            userID: json?["userRecordName"]?.string.map { CKRecordID(recordName: $0) })
    }
}

extension FieldContent {
    /// Whether the value is an asset or a list of assets.
    var containsAsset: Bool { elements.contains { if case .asset = $0 { true } else { false } } }
}

extension CKAsset {
    /// Whether the asset belongs to a record, or to no record yet.
    fileprivate func belongs(to record: CKRecord) -> Bool {
        state.copy.owner.map { $0.recordID == record.recordID } ?? true
    }
}
