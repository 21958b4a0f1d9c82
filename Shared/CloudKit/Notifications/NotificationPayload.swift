internal import Foundation

/// The content of a notification (semantics 9.3): the members `aps` and `ck` of its dictionary.
struct NotificationPayload: @unchecked Sendable {
    // The values are those of JSON, which are immutable.
    private let aps: [String: Any]
    private let ck: [String: Any]
    /// The member of `ck` about the subscription; empty if it was dropped.
    private let subject: [String: Any]
    let type: CKNotification.NotificationType

    /// Reads a dictionary; nil if it is not a notification of CloudKit.
    init?(_ dictionary: [AnyHashable: Any]) {
        guard let ck = dictionary["ck"] as? [String: Any] else { return nil }
        self.ck = ck
        aps = dictionary["aps"] as? [String: Any] ?? [:]
        let kinds: [(String, CKNotification.NotificationType)] = [
            ("qry", .query), ("fet", .recordZone), ("met", .database),
        ]
        let part = kinds.first { ck[$0.0] is [String: Any] }
        // A payload that has lost everything but the container is of an unknown kind. A class of its own does not exist.
        subject = part.flatMap { ck[$0.0] as? [String: Any] } ?? [:]
        type = part?.1 ?? .readNotification
    }

    /// Returns a number about the subscription.
    func subject(_ key: String) -> Int? { (subject[key] as? NSNumber)?.intValue }

    /// Returns a text about the subscription.
    func subject(_ key: String) -> String? { subject[key] as? String }

    var subscriptionID: String? { subject("sid") }

    /// The database; the private one if the payload does not say.
    var databaseScope: CKDatabase.Scope { subject("dbs").flatMap { CKDatabase.Scope(rawValue: $0) } ?? .private }

    /// The zone. The owner is `CKCurrentUserDefaultName` if it is the subscription's user.
    var zoneID: CKRecordZone.ID? {
        guard let name: String = subject("zid") else { return nil }
        let owner: String? = subject("zoid")
        let isOwn = owner == nil || owner == ownerRecordName
        return CKRecordZone.ID(zoneName: name, ownerName: isOwn ? CKCurrentUserDefaultName : owner ?? "")
    }

    var notificationID: String? { ck["nid"] as? String }
    var containerIdentifier: String? { ck["cid"] as? String }
    var ownerRecordName: String? { ck["ckuserid"] as? String }

    /// Whether values were dropped, also all of those about the subscription.
    var isPruned: Bool { subject.isEmpty || (ck["p"] as? NSNumber)?.boolValue == true }

    /// The values of the record's fields. Dates are numbers of milliseconds, because the payload does not name types.
    var recordFields: [String: Any]? {
        guard let fields = subject["af"] as? [String: Any] else { return nil }
        return fields.mapValues { value in
            guard let value = value as? [String: Any] else { return value }
            return location(value) as Any? ?? reference(value) ?? value
        }
    }

    private func location(_ value: [String: Any]) -> CLLocation? {
        guard let latitude = value["latitude"] as? NSNumber, let longitude = value["longitude"] as? NSNumber else {
            return nil
        }
        return CLLocation(latitude: latitude.doubleValue, longitude: longitude.doubleValue)
    }

    private func reference(_ value: [String: Any]) -> CKRecord.Reference? {
        guard let name = value["recordName"] as? String else { return nil }
        let id = CKRecord.ID(recordName: name, zoneID: zoneID ?? CKRecordZone.ID.default)
        let isOwner = value["action"] as? String == "DELETE_SELF"
        return CKRecord.Reference(recordID: id, action: isOwner ? .deleteSelf : .none)
    }

    private var alert: [String: Any] {
        if let body = aps["alert"] as? String { return ["body": body] }
        return aps["alert"] as? [String: Any] ?? [:]
    }

    /// Returns a text of the alert.
    func alertText(_ key: String) -> String? { alert[key] as? String }

    /// Returns a list of texts of the alert.
    func alertList(_ key: String) -> [String]? { alert[key] as? [String] }

    var badge: NSNumber? { aps["badge"] as? NSNumber }
    var soundName: String? { aps["sound"] as? String }
    var category: String? { aps["category"] as? String }
}
