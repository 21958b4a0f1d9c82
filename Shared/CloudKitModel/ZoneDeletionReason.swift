/// Why a zone went (CKDatabase.DatabaseChange.Deletion.Reason). The raw value is the database feed's `deletionReason`.
package enum ZoneDeletionReason: String, CaseIterable, Hashable, Sendable {
    /// The application deleted it.
    case deleted
    /// Its user removed the application's data: clients wipe their copies and upload nothing without asking.
    case purged
    /// The keys of encrypted fields were reset: clients delete the zone, make it again and upload what they have.
    case encryptedDataReset
}
