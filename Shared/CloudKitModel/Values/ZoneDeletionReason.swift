/// The reason why a zone was deleted (CKDatabase.DatabaseChange.Deletion.Reason). The raw value is the `deletionReason`
/// of the database change feed.
package enum ZoneDeletionReason: String, CaseIterable, Hashable, Sendable {
    /// The application deleted the zone.
    case deleted
    /// The user deleted the application's data. Clients delete their copy and do not upload data again without asking
    /// the user.
    case purged
    /// The keys of encrypted fields were reset. Clients create the zone again and upload the data that they have.
    case encryptedDataReset
}
