public import Foundation

/// The record name and owner name that stand for the user who sends the request.
public let CKCurrentUserDefaultName = "__defaultOwner__"
/// The former name of ``CKCurrentUserDefaultName``.
@available(*, deprecated, renamed: "CKCurrentUserDefaultName")
public let CKOwnerDefaultName = "__defaultOwner__"

/// The identity of a zone: its name and its owner. Source code calls it `CKRecordZone.ID`.
///
/// Names are not checked here. The server refuses a wrong name with `invalidArguments`.
open class CKRecordZoneID: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
    /// The zone's name, unique among the zones of its owner.
    public let zoneName: String
    /// The record name of the user who owns the zone; `CKCurrentUserDefaultName` for the user who sends the request.
    public let ownerName: String

    init(name: String, owner: String) {
        zoneName = name
        ownerName = owner
        super.init()
    }

    /// Creates the ID of a zone, by default the default zone of the user.
    public convenience init(
        zoneName: String = CKRecordZoneID.defaultZoneName, ownerName: String = CKCurrentUserDefaultName
    ) { self.init(name: zoneName, owner: ownerName) }

    /// Creates the ID of a zone.
    @available(*, deprecated, message: "Pass an owner's name that is not nil")
    @_disfavoredOverload
    public convenience init(zoneName: String = CKRecordZoneID.defaultZoneName, ownerName: String?) {
        self.init(name: zoneName, owner: ownerName ?? CKCurrentUserDefaultName)
    }

    /// The ID of the user's default zone.
    public static let `default` = CKRecordZoneID(name: defaultZoneName, owner: CKCurrentUserDefaultName)

    /// The name of the default zone.
    public static let defaultZoneName = "_defaultZone"

    // MARK: - NSObject

    /// Returns this object, because IDs do not change.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// Returns whether `object` is the ID of a zone with the same name and the same owner.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? CKRecordZoneID else { return false }
        return self === other || zoneName == other.zoneName && ownerName == other.ownerName
    }

    /// The hash of the name and the owner.
    open override var hash: Int {
        var hasher = Hasher()
        hasher.combine(zoneName)
        hasher.combine(ownerName)
        return hasher.finalize()
    }

    /// The name and the owner.
    open override var description: String {
        "<CKRecordZoneID: zoneName=\(zoneName), ownerName=\(ownerName)>"
    }

    // MARK: - NSSecureCoding

    /// Whether archives may require secure coding: always.
    open class var supportsSecureCoding: Bool { true }

    /// Reads an ID from an archive. Returns nil if it has no name.
    public required init?(coder: NSCoder) {
        guard let name = coder.decodeObject(of: NSString.self, forKey: "ZoneName") else { return nil }
        zoneName = String(describing: name)
        let owner = coder.decodeObject(of: NSString.self, forKey: "ownerName")
        ownerName = owner.map(String.init(describing:)) ?? CKCurrentUserDefaultName
        super.init()
    }

    /// Writes the ID to an archive.
    open func encode(with coder: NSCoder) {
        coder.encode(NSString(string: zoneName), forKey: "ZoneName")
        coder.encode(NSString(string: ownerName), forKey: "ownerName")
    }
}
