public import Foundation

/// The place at which a query continues. It is opaque, and valid for a day.
public class CKQueryCursor: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
    /// The query and the zone to which the cursor belongs; the server requires them with every page.
    let query: CKQuery
    let zoneID: CKRecordZone.ID?
    /// The server's continuation marker.
    let marker: String

    init(query: CKQuery, zoneID: CKRecordZone.ID?, marker: String) {
        self.query = query
        self.zoneID = zoneID
        self.marker = marker
    }

    /// Creates a cursor from an archive.
    public required init?(coder: NSCoder) {
        guard let marker = coder.decodeObject(of: NSString.self, forKey: ArchiveKey.marker) as String?,
            let query = coder.decodeObject(of: CKQuery.self, forKey: ArchiveKey.query)
        else { return nil }
        self.marker = marker
        self.query = query
        zoneID = coder.optionalObject(of: CKRecordZoneID.self, forKey: ArchiveKey.zoneID)
    }

    private enum ArchiveKey {
        static let marker = "Marker"
        static let query = "Query"
        static let zoneID = "ZoneID"
    }

    /// Whether the class supports secure coding.
    public static var supportsSecureCoding: Bool { true }

    /// Encodes the cursor with its query.
    public func encode(with coder: NSCoder) {
        coder.encode(marker as NSString, forKey: ArchiveKey.marker)
        coder.encode(query, forKey: ArchiveKey.query)
        if let zoneID { coder.encode(zoneID, forKey: ArchiveKey.zoneID) }
    }

    /// Returns the cursor itself, because it is immutable.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    /// Returns whether the other object is the same place of the same query.
    public override func isEqual(_ object: Any?) -> Bool {
        (object as? CKQueryCursor).map { $0.marker == marker } ?? false
    }

    /// A hash of the place.
    public override var hash: Int { marker.hashValue }
}
