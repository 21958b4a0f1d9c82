public import Foundation

/// A record: a type, an ID, and fields with values.
///
/// A record can be used by several threads. Its fields can be read and changed with subscripts of several types; a value
/// that no field can have ends the process with a message, as it does with Apple's framework.
open class CKRecord: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
    /// The name of a record type.
    public typealias RecordType = String
    /// The name of a field.
    public typealias FieldKey = String
    /// The identity of a record.
    public typealias ID = CKRecordID
    /// A field's pointer to a record.
    public typealias Reference = CKReference
    /// The effect of deleting the record that a reference names.
    public typealias ReferenceAction = CKReferenceAction

    /// The types that CloudKit itself uses.
    public struct SystemType {
        /// The type of user records.
        public static let userRecord = "Users"
        /// The type of shares.
        public static let share = "cloudkit.share"
    }

    /// The content of a record behind its lock.
    struct State {
        var fields = RecordFields()
        var encrypted = RecordFields()
        var system = RecordSystemFields()
        /// What the save that is in progress contains: the numbers of the last changes, and the parent.
        var sent = Sent()
    }

    /// What a save contains. Later changes are not forgotten when the save succeeds.
    struct Sent {
        var fields = 0
        var encrypted = 0
        var parent: CKReference?
    }

    /// The type, which never changes.
    open var recordType: CKRecord.RecordType { type }
    /// The ID, which never changes.
    open var recordID: CKRecord.ID { id }

    private let type: String
    private let id: CKRecordID
    let state: Locked<State>

    init(type: String, id: CKRecordID, state: State) {
        (self.type, self.id, self.state) = (type, id, Locked(state))
        super.init()
    }

    /// Creates a record, by default with a new name in the default zone.
    public init(recordType: CKRecord.RecordType, recordID: CKRecord.ID = CKRecord.ID()) {
        (type, id, state) = (recordType, recordID, Locked(State()))
        super.init()
    }

    /// Creates a record with a new name in a zone.
    @available(
        macOS, introduced: 10.10, deprecated: 13.0,
        message: "Use init(recordType:recordID:) with a record ID in the zone"
    )
    public convenience init(recordType: CKRecord.RecordType, zoneID: CKRecordZone.ID) {
        self.init(recordType: recordType, recordID: CKRecord.ID(zoneID: zoneID))
    }

    @available(*, unavailable)
    public override init() { fatalError("init() is unavailable: use init(recordType:recordID:).") }

    // MARK: - System fields

    /// Changes with every save; nil if the record has never been saved.
    open var recordChangeTag: String? { state.withLock { $0.system.changeTag } }
    /// The user who created the record; nil if the record has never been saved.
    open var creatorUserRecordID: CKRecord.ID? { state.withLock { $0.system.created?.userID } }
    /// When the record was first saved; nil if it has never been saved.
    open var creationDate: Date? { state.withLock { $0.system.created?.date } }
    /// The user who last saved the record.
    open var lastModifiedUserRecordID: CKRecord.ID? { state.withLock { $0.system.modified?.userID } }
    /// When the record was last saved.
    open var modificationDate: Date? { state.withLock { $0.system.modified?.date } }
    /// The share whose root the record is.
    open var share: CKRecord.Reference? { state.withLock { $0.system.share } }

    /// The record above this one. A share of it contains this record too.
    open var parent: CKRecord.Reference? {
        get { state.withLock { $0.system.parent } }
        set {
            state.withLock {
                $0.system.parent = newValue
                $0.system.parentHasChanged = true
            }
        }
    }

    /// Sets the record above this one.
    open func setParent(_ parentRecord: CKRecord?) { setParent(parentRecord?.recordID) }

    /// Sets the record above this one.
    open func setParent(_ parentRecordID: CKRecord.ID?) {
        parent = parentRecordID.map { CKReference(recordID: $0, action: .none) }
    }

    // MARK: - Fields

    /// Returns the value of a field; nil if the record has no such field.
    open func object(forKey key: CKRecord.FieldKey) -> (any __CKRecordObjCValue)? {
        let content = state.withLock { $0.fields.values[key] }
        guard let content else { return nil }
        return content.value
    }

    /// Sets the value of a field, or removes the field.
    open func setObject(_ object: (any __CKRecordObjCValue)?, forKey key: CKRecord.FieldKey) { set(object, key) }

    /// The value of a field; nil if the record has no such field.
    @_disfavoredOverload
    open subscript(key: CKRecord.FieldKey) -> (any __CKRecordObjCValue)? {
        get { object(forKey: key) }
        set { setObject(newValue, forKey: key) }
    }

    func set(_ value: Any?, _ key: String) {
        let content = value.map { fieldContent(of: $0, for: key) }
        for element in content?.elements ?? [] {
            if case .asset(let asset) = element { asset.state.withLock { if $0.owner == nil { $0.owner = self } } }
        }
        state.withLock { $0.fields.set(key, to: content) }
    }

    /// The names of all fields that have a value.
    open func allKeys() -> [CKRecord.FieldKey] { state.withLock { Array($0.fields.values.keys) } }

    /// The names of the fields that have changed since the record was fetched or saved.
    open func changedKeys() -> [CKRecord.FieldKey] { state.withLock { $0.fields.changedKeys } }

    /// The words of all texts, in lower case, for a local search like that of the server.
    open func allTokens() -> [String] {
        let texts = state.withLock { state in
            state.fields.values.values.flatMap(\.elements).compactMap { content -> String? in
                if case .string(let text) = content { text } else { nil }
            }
        }
        var seen: Set<String> = []
        return texts.flatMap { $0.lowercased().split(whereSeparator: \.isWhitespace).map(String.init) }
            .filter { seen.insert($0).inserted }
    }

    /// The fields whose values only the user's devices can read. A key has either an encrypted value or a plain one.
    open var encryptedValues: any CKRecordKeyValueSetting { EncryptedValues(record: self) }

    // MARK: - NSObject

    /// Returns a record with the same content.
    open func copy(with zone: NSZone? = nil) -> Any { CKRecord(type: type, id: id, state: state.copy) }

    /// Returns whether `object` is a record with the same ID, type and change tag.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? CKRecord else { return false }
        return self === other
            || id == other.recordID && type == other.recordType && recordChangeTag == other.recordChangeTag
    }

    /// The hash of the ID.
    open override var hash: Int { id.hash }

    open override var description: String {
        let keys = allKeys().sorted().joined(separator: ", ")
        return
            "<CKRecord: recordID=\(id.recordName), recordType=\(type), changeTag=\(recordChangeTag ?? "nil"), keys=[\(keys)]>"
    }

    // MARK: - NSSecureCoding

    /// Whether archives may require secure coding: always.
    open class var supportsSecureCoding: Bool { true }

    /// Reads a record, or only its system fields, from an archive. Returns nil if the archive contains neither.
    public required init?(coder: NSCoder) {
        guard let archive = RecordArchive(coder) else { return nil }
        (type, id, state) = (archive.type, archive.id, Locked(archive.state))
        super.init()
    }

    /// Writes the whole record to an archive.
    open func encode(with coder: NSCoder) {
        encodeSystemFields(with: coder)
        RecordArchive.encodeFields(of: state.copy, with: coder)
    }

    /// Writes the ID, the type, the change tag and what else only the server sets, but no fields. A record that is read
    /// from this has no fields; saving it again changes only the fields that were set since.
    open func encodeSystemFields(with coder: NSCoder) {
        RecordArchive.encodeSystemFields(type: type, id: id, state.copy.system, with: coder)
    }
}

/// Returns the content of a field for a value. A value that no field can have ends the process.
func fieldContent(of value: Any, for key: String) -> FieldContent {
    guard let content = FieldContent(value) else {
        preconditionFailure(
            "The field '\(key)' cannot have a value of the type \(type(of: value)). Fields have strings, numbers, dates, "
                + "data, locations, references, assets, and arrays of one of these.")
    }
    return content
}
