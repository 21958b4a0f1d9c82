extension CKSyncEngine {
    /// A change of a record that is to be sent to the server.
    @nonexhaustive public enum PendingRecordZoneChange: Sendable {
        /// The record is to be saved.
        case saveRecord(CKRecord.ID)
        /// The record is to be deleted.
        case deleteRecord(CKRecord.ID)

        var recordID: CKRecord.ID {
            switch self {
            case .saveRecord(let id), .deleteRecord(let id): id
            }
        }
    }

    /// A change of a zone that is to be sent to the server.
    @nonexhaustive public enum PendingDatabaseChange: Sendable {
        /// The zone is to be saved.
        case saveZone(CKRecordZone)
        /// The zone is to be deleted.
        case deleteZone(CKRecordZone.ID)

        var zoneID: CKRecordZone.ID {
            switch self {
            case .saveZone(let zone): zone.zoneID
            case .deleteZone(let id): id
            }
        }
    }
}

extension CKSyncEngine.PendingRecordZoneChange: Hashable, CustomStringConvertible {
    /// Whether the change is a save or a deletion, and of which record.
    public var description: String {
        switch self {
        case .saveRecord(let id): "saveRecord(\(id))"
        case .deleteRecord(let id): "deleteRecord(\(id))"
        }
    }
}

extension CKSyncEngine.PendingDatabaseChange: Hashable, CustomStringConvertible {
    /// Compares the kinds and the IDs of the zones.
    public static func == (
        lhs: CKSyncEngine.PendingDatabaseChange, rhs: CKSyncEngine.PendingDatabaseChange
    ) -> Bool {
        switch (lhs, rhs) {
        case (.saveZone(let left), .saveZone(let right)): left.zoneID == right.zoneID
        case (.deleteZone(let left), .deleteZone(let right)): left == right
        default: false
        }
    }

    /// Hashes the ID of the zone.
    public func hash(into hasher: inout Hasher) { hasher.combine(zoneID) }

    /// Whether the change is a save or a deletion, and of which zone.
    public var description: String {
        switch self {
        case .saveZone(let zone): "saveZone(\(zone.zoneID))"
        case .deleteZone(let id): "deleteZone(\(id))"
        }
    }
}
