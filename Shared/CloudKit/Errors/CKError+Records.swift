/// The records of a conflict.
extension CKError {
    /// The record that the client last fetched, in a ``Code/serverRecordChanged``.
    public var ancestorRecord: CKRecord? { userInfo[CKRecordChangedErrorAncestorRecordKey] as? CKRecord }

    /// The record that is on the server, in a ``Code/serverRecordChanged``.
    public var serverRecord: CKRecord? { userInfo[CKRecordChangedErrorServerRecordKey] as? CKRecord }

    /// The record that the client tried to save, in a ``Code/serverRecordChanged``.
    public var clientRecord: CKRecord? { userInfo[CKRecordChangedErrorClientRecordKey] as? CKRecord }
}
