internal import Foundation

/// A notification of a record that matched the predicate of a query subscription.
open class CKQueryNotification: CKNotification {
    /// The kinds of change.
    public enum Reason: Int, Sendable {
        /// The record was created.
        case recordCreated = 1
        /// The record changed.
        case recordUpdated = 2
        /// The record was deleted.
        case recordDeleted = 3
    }

    /// The kind of change.
    open var queryNotificationReason: CKQueryNotification.Reason {
        payload.subject("fo").flatMap { Reason(rawValue: $0) } ?? .recordUpdated
    }

    /// The values of the fields that the subscription named; nil if it named none.
    open var recordFields: [String: Any]? { payload.recordFields }

    /// The record.
    open var recordID: CKRecord.ID? {
        payload.subject("rid").map { CKRecord.ID(recordName: $0, zoneID: payload.zoneID ?? CKRecordZone.ID.default) }
    }

    /// The database of the record.
    open var databaseScope: CKDatabase.Scope { payload.databaseScope }

    /// Whether the record is in the public database.
    @available(macOS, introduced: 10.10, deprecated: 10.12, message: "Use databaseScope instead")
    open var isPublicDatabase: Bool { databaseScope == .public }
}
