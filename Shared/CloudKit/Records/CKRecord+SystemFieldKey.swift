extension CKRecord {
    /// The names of system fields in predicates and sort descriptors.
    public struct SystemFieldKey {
        /// The record above.
        public static let parent = "___parent"
        /// The record's share.
        public static let share = "___share"
        /// The ID.
        public static let recordID = "___recordID"
        /// The user who created the record.
        public static let creatorUserRecordID = "___createdBy"
        /// When the record was created.
        public static let creationDate = "___createTime"
        /// The user who last changed the record.
        public static let lastModifiedUserRecordID = "___modifiedBy"
        /// When the record was last changed.
        public static let modificationDate = "___modTime"
    }
}

/// The name of the system field of a record's parent.
public let CKRecordParentKey: String = "___parent"
/// The name of the system field of a record's share.
public let CKRecordShareKey: String = "___share"
/// The name of the type of user records.
public let CKRecordTypeUserRecord: String = "Users"
/// The name of the type of shares.
public let CKRecordTypeShare: String = "cloudkit.share"
