/// A notification of changes in a zone.
open class CKRecordZoneNotification: CKNotification {
    /// The zone.
    open var recordZoneID: CKRecordZone.ID? { payload.zoneID }

    /// The database of the zone.
    open var databaseScope: CKDatabase.Scope { payload.databaseScope }
}
