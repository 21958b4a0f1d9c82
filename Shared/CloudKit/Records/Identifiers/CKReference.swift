public import Foundation

/// The effect of deleting the record that a reference names. Source code calls it `CKRecord.ReferenceAction`.
@nonexhaustive public enum CKReferenceAction: UInt, Sendable {
    /// The record that contains the reference stays.
    case none = 0
    /// The record that contains the reference is deleted too.
    case deleteSelf = 1
}

/// A field's pointer to a record. Source code calls it `CKRecord.Reference`.
open class CKReference: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
    /// The effect of deleting the record that a reference names.
    public typealias Action = CKReferenceAction

    /// The ID of the record that the reference names.
    public let recordID: CKRecordID
    /// The effect of deleting that record.
    public let action: CKReferenceAction
    /// Whether the record that the reference names must exist, and cannot be deleted as long as the reference exists.
    /// Only clients of CloudKit Web Services create such references; this library returns them unchanged.
    let validates: Bool

    /// Creates a reference to the record with an ID.
    public convenience init(recordID: CKRecordID, action: CKReferenceAction) {
        self.init(recordID: recordID, action: action, validates: false)
    }

    /// Creates a reference to a record.
    public convenience init(record: CKRecord, action: CKReferenceAction) {
        self.init(recordID: record.recordID, action: action)
    }

    init(recordID: CKRecordID, action: CKReferenceAction, validates: Bool) {
        self.recordID = recordID
        self.action = action
        self.validates = validates
        super.init()
    }

    // MARK: - NSObject

    /// Returns this object, because references do not change.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// Returns whether `object` is a reference to the same record with the same action.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? CKReference else { return false }
        return self === other || recordID.isEqual(other.recordID) && action == other.action
    }

    /// The hash of the record's ID.
    open override var hash: Int { recordID.hash }

    /// The record's name and zone.
    open override var description: String {
        "<CKReference: recordName=\(recordID.recordName), zoneID=\(recordID.zoneID.zoneName):\(recordID.zoneID.ownerName)>"
    }

    // MARK: - NSSecureCoding

    /// Whether archives may require secure coding: always.
    open class var supportsSecureCoding: Bool { true }

    /// Reads a reference from an archive. Returns nil if it names no record.
    public required init?(coder: NSCoder) {
        guard let id = coder.decodeObject(of: CKRecordID.self, forKey: "RecordID") else { return nil }
        recordID = id
        action = CKReferenceAction(rawValue: UInt(clamping: coder.decodeInteger(forKey: "ReferenceAction"))) ?? .none
        validates = coder.decodeBool(forKey: "Validates")
        super.init()
    }

    /// Writes the reference to an archive.
    open func encode(with coder: NSCoder) {
        coder.encode(recordID, forKey: "RecordID")
        coder.encode(Int(action.rawValue), forKey: "ReferenceAction")
        if validates { coder.encode(true, forKey: "Validates") }
    }
}
