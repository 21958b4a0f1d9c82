/// The form in which the state of an engine is stored. Members may be added; a change of their meaning needs a new
/// version.
struct SerializedState: Codable {
    private static let currentVersion = 1

    struct Zone: Codable {
        var name: String
        var owner: String?
        var syncToken: String?
        var isUnlisted: Bool?
        /// Whether the zone is encrypted as a whole, if it is to be saved.
        var encryptionScope: Int?

        init(_ id: CKRecordZone.ID) {
            name = id.zoneName
            owner = id.ownerName == CKCurrentUserDefaultName ? nil : id.ownerName
        }

        var id: CKRecordZone.ID { CKRecordZone.ID(zoneName: name, ownerName: owner ?? CKCurrentUserDefaultName) }
    }

    struct ZoneChange: Codable {
        var zone: Zone
        var isDeletion: Bool?
    }

    /// The record names of consecutive changes of one kind in one zone.
    struct RecordChanges: Codable {
        var zone: Zone
        var isDeletion: Bool?
        var recordNames: [String]
    }

    var version: Int
    var user: String?
    var hasUntrackedChanges: Bool?
    var syncToken: String?
    var zones: [Zone]
    var unfetchedZones: [Zone]
    var zoneChanges: [ZoneChange]
    var recordChanges: [RecordChanges]

    init(_ state: SyncState) {
        version = Self.currentVersion
        user = state.user
        hasUntrackedChanges = state.hasUntrackedChanges ? true : nil
        syncToken = state.databaseToken
        zones = Set(state.zoneTokens.keys).union(state.unlistedZones).map { id in
            var zone = Zone(id)
            zone.syncToken = state.zoneTokens[id]
            zone.isUnlisted = state.unlistedZones.contains(id) ? true : nil
            return zone
        }
        unfetchedZones = state.unfetchedZones.map(Zone.init)
        zoneChanges = state.databaseChanges.changes.map { change in
            switch change {
            case .saveZone(let zone):
                var written = Zone(zone.zoneID)
                written.encryptionScope = zone.encryptionScope == .perRecord ? nil : zone.encryptionScope.rawValue
                return ZoneChange(zone: written)
            case .deleteZone(let id): return ZoneChange(zone: Zone(id), isDeletion: true)
            }
        }
        recordChanges = []
        for change in state.recordChanges.changes {
            let (id, isDeletion): (CKRecord.ID, Bool?) =
                switch change {
                case .saveRecord(let id): (id, nil)
                case .deleteRecord(let id): (id, true)
                }
            if let last = recordChanges.last, last.isDeletion == isDeletion, last.zone.id == id.zoneID {
                recordChanges[recordChanges.count - 1].recordNames.append(id.recordName)
            } else {
                recordChanges.append(
                    RecordChanges(zone: Zone(id.zoneID), isDeletion: isDeletion, recordNames: [id.recordName]))
            }
        }
    }

    /// The state.
    ///
    /// - Throws: `DecodingError` if a newer version of the library has written it.
    func contents(_ path: [any CodingKey]) throws -> SyncState {
        guard version == Self.currentVersion else {
            let reason = "The state has the version \(version). This library reads version \(Self.currentVersion)."
            throw DecodingError.dataCorrupted(DecodingError.Context(codingPath: path, debugDescription: reason))
        }
        var state = SyncState()
        state.user = user
        state.databaseToken = syncToken
        for zone in zones {
            state.zoneTokens[zone.id] = zone.syncToken
            if zone.isUnlisted == true { state.unlistedZones.insert(zone.id) }
        }
        state.unfetchedZones = unfetchedZones.map(\.id)
        state.add(
            zoneChanges.map { change -> CKSyncEngine.PendingDatabaseChange in
                if change.isDeletion == true { return .deleteZone(change.zone.id) }
                let zone = CKRecordZone(zoneID: change.zone.id)
                if let scope = change.zone.encryptionScope.flatMap(CKRecordZone.EncryptionScope.init) {
                    zone.encryptionScope = scope
                }
                return .saveZone(zone)
            })
        state.add(
            recordChanges.flatMap { run in
                run.recordNames.map { name -> CKSyncEngine.PendingRecordZoneChange in
                    let id = CKRecord.ID(recordName: name, zoneID: run.zone.id)
                    return run.isDeletion == true ? .deleteRecord(id) : .saveRecord(id)
                }
            })
        if hasUntrackedChanges == true { state.setUntrackedChanges(true) }
        return state
    }
}
