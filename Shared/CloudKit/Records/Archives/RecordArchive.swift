internal import Foundation

/// The form of records in archives. The keys are those of Apple's framework, as far as its archives show them.
struct RecordArchive {
    let type: String
    let id: CKRecordID
    let state: CKRecord.State

    private enum Key {
        static let type = "RecordType"
        static let id = "RecordID"
        static let changeTag = "ETag"
        static let created = "RecordCtime"
        static let modified = "RecordMtime"
        static let creator = "CreatorUserRecordID"
        static let modifier = "LastModifiedUserRecordID"
        static let parent = "ParentReference"
        static let parentHasChanged = "HasUpdatedParentReference"
        static let share = "ShareReference"
        static let shortGUID = "ShortGUID"
        static let isKnown = "KnownToServer"
        static let fields = "ValueStore"
        static let encrypted = "EncryptedValueStore"
    }

    /// Reads a record. Returns nil if the archive has no type or no ID.
    init?(_ coder: NSCoder) {
        guard let type = coder.optionalObject(of: NSString.self, forKey: Key.type),
            let id = coder.optionalObject(of: CKRecordID.self, forKey: Key.id)
        else { return nil }
        self.type = String(describing: type)
        self.id = id
        var state = CKRecord.State()
        state.system.changeTag = coder.optionalObject(of: NSString.self, forKey: Key.changeTag).map(
            String.init(describing:))
        state.system.created = Self.stamp(coder, Key.created, Key.creator)
        state.system.modified = Self.stamp(coder, Key.modified, Key.modifier)
        state.system.parent = coder.optionalObject(of: CKReference.self, forKey: Key.parent)
        state.system.parentHasChanged = coder.decodeBool(forKey: Key.parentHasChanged)
        state.system.share = coder.optionalObject(of: CKReference.self, forKey: Key.share)
        state.system.shortGUID = coder.optionalObject(of: NSString.self, forKey: Key.shortGUID).map(
            String.init(describing:))
        state.fields =
            coder.optionalObject(of: CKRecordValueStore.self, forKey: Key.fields)?.fields
            ?? RecordFields(isComplete: false)
        state.encrypted =
            coder.optionalObject(of: CKRecordValueStore.self, forKey: Key.encrypted)?.fields
            ?? RecordFields(isComplete: false)
        self.state = state
    }

    private static func stamp(_ coder: NSCoder, _ date: String, _ user: String) -> RecordSystemFields.Stamp? {
        guard let date = coder.optionalObject(of: NSDate.self, forKey: date) else { return nil }
        return RecordSystemFields.Stamp(
            date: Date(timeIntervalSinceReferenceDate: date.timeIntervalSinceReferenceDate),
            userID: coder.optionalObject(of: CKRecordID.self, forKey: user))
    }

    /// Writes what only the server sets.
    static func encodeSystemFields(type: String, id: CKRecordID, _ system: RecordSystemFields, with coder: NSCoder) {
        coder.encode(type as NSString, forKey: Key.type)
        coder.encode(id, forKey: Key.id)
        coder.encode(system.changeTag != nil, forKey: Key.isKnown)
        coder.encode(system.changeTag.map { $0 as NSString }, forKey: Key.changeTag)
        coder.encode(system.created.map { $0.date as NSDate }, forKey: Key.created)
        coder.encode(system.created?.userID, forKey: Key.creator)
        coder.encode(system.modified.map { $0.date as NSDate }, forKey: Key.modified)
        coder.encode(system.modified?.userID, forKey: Key.modifier)
        coder.encode(system.parent, forKey: Key.parent)
        coder.encode(system.parentHasChanged, forKey: Key.parentHasChanged)
        coder.encode(system.share, forKey: Key.share)
        coder.encode(system.shortGUID.map { $0 as NSString }, forKey: Key.shortGUID)
    }

    /// Writes the fields, and which of them have changed.
    static func encodeFields(of state: CKRecord.State, with coder: NSCoder) {
        coder.encode(CKRecordValueStore(state.fields), forKey: Key.fields)
        coder.encode(CKEncryptedRecordValueStore(state.encrypted), forKey: Key.encrypted)
    }
}
