public import Foundation

/// A zone: a group of records that change together.
open class CKRecordZone: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
    /// The identity of a zone.
    public typealias ID = CKRecordZoneID

    /// What a zone can do.
    public struct Capabilities: OptionSet, Sendable {
        /// The bits of the set.
        public let rawValue: UInt
        /// Creates a set from its bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }
        /// The changes since a token can be fetched.
        public static let fetchChanges = Capabilities(rawValue: 1 << 0)
        /// Several records can be saved either all or not at all.
        public static let atomic = Capabilities(rawValue: 1 << 1)
        /// Records can be shared together with the records below them.
        public static let sharing = Capabilities(rawValue: 1 << 2)
        /// The zone can be shared as a whole.
        public static let zoneWideSharing = Capabilities(rawValue: 1 << 3)
    }

    /// The kinds of keys that encrypt the zone's values.
    public enum EncryptionScope: Int, Sendable {
        case perRecord = 0
        case perZone = 1
    }

    struct State {
        var share: CKReference?
        var encryptionScope = EncryptionScope.perRecord
    }

    /// The ID, which never changes.
    open var zoneID: CKRecordZone.ID { id }
    private let id: CKRecordZoneID
    private let state: Locked<State>

    init(_ id: CKRecordZoneID, _ state: State) {
        (self.id, self.state) = (id, Locked(state))
        super.init()
    }

    /// Creates a zone with a name. It exists on the server once it has been saved.
    public convenience init(zoneName: String) { self.init(zoneID: CKRecordZoneID(zoneName: zoneName)) }

    /// Creates a zone. It exists on the server once it has been saved.
    public init(zoneID: CKRecordZone.ID) {
        (id, state) = (zoneID, Locked(State()))
        super.init()
    }

    @available(*, unavailable)
    public override init() { fatalError("init() is unavailable: use init(zoneID:).") }

    /// Returns the default zone of a database.
    public class func `default`() -> CKRecordZone { CKRecordZone(zoneID: .default) }

    /// What the zone can do. Default zones can do nothing.
    open var capabilities: CKRecordZone.Capabilities {
        id.zoneName == CKRecordZoneID.defaultZoneName ? [] : [.fetchChanges, .atomic, .sharing, .zoneWideSharing]
    }

    /// The share of the whole zone; nil if there is none.
    open var share: CKRecord.Reference? { state.withLock { $0.share } }

    /// The kind of keys that encrypt the zone's values.
    open var encryptionScope: CKRecordZone.EncryptionScope {
        get { state.withLock { $0.encryptionScope } }
        set { state.withLock { $0.encryptionScope = newValue } }
    }

    // MARK: - NSObject

    /// Returns a zone with the same ID.
    open func copy(with zone: NSZone? = nil) -> Any { CKRecordZone(id, state.copy) }

    /// Returns whether `object` is a zone with the same ID.
    open override func isEqual(_ object: Any?) -> Bool { (object as? CKRecordZone).map { $0.id == id } ?? false }

    /// The hash of the ID.
    open override var hash: Int { id.hash }

    open override var description: String { "<CKRecordZone: \(id.zoneName):\(id.ownerName)>" }

    // MARK: - NSSecureCoding

    /// Whether archives may require secure coding: always.
    open class var supportsSecureCoding: Bool { true }

    /// Reads a zone from an archive. Returns nil if it has no ID.
    public required init?(coder: NSCoder) {
        guard let id = coder.optionalObject(of: CKRecordZoneID.self, forKey: ArchiveKey.id) else { return nil }
        self.id = id
        state = Locked(State(share: coder.optionalObject(of: CKReference.self, forKey: ArchiveKey.share)))
        super.init()
    }

    /// Writes the zone to an archive.
    open func encode(with coder: NSCoder) {
        coder.encode(id, forKey: ArchiveKey.id)
        coder.encode(state.copy.share, forKey: ArchiveKey.share)
    }

    private enum ArchiveKey {
        static let id = "ZoneID"
        static let share = "ShareReference"
    }
}

/// The name of the default zone.
public let CKRecordZoneDefaultName: String = "_defaultZone"
