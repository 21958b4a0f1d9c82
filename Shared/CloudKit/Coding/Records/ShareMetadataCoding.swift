internal import CloudKitModel
internal import CloudKitWire
internal import Foundation

/// What links of shares lead to, as JSON (web-services 3.10).
enum ShareMetadataCoding {
    /// Reads the result of a link.
    ///
    /// - Throws: the error that the dictionary is; ``CKError/Code/internalError`` if it lacks the share.
    static func metadata(from json: JSONValue, of url: URL, in database: WebDatabase) throws(CKError) -> CKShareMetadata
    {
        if let fault = json.fault { throw fault.error() }
        guard let container = json["containerIdentifier"]?.string, let share = json["share"],
            let zone = json["zoneID"] ?? share["zoneID"], let name = zone["zoneName"]?.string
        else { throw .unexpectedAnswer("a link leads to no share") }
        let isOwner = json["databaseScope"]?.string == "PRIVATE"
        let owner = zone["ownerRecordName"]?.string
        let zoneID = CKRecordZoneID(
            zoneName: name, ownerName: isOwner ? CKCurrentUserDefaultName : owner ?? CKCurrentUserDefaultName)
        guard
            let share = try RecordCoding.record(
                from: share.inZone(zoneID), in: database.other(isOwner ? .private : .shared), zoneID: zoneID)
                as? CKShare
        else { throw .unexpectedAnswer("a link leads to a record that is not a share") }
        var root: CKRecord?
        if let json = json["rootRecord"] {
            root = try RecordCoding.record(
                from: json.inZone(zoneID), in: database.other(isOwner ? .private : .shared), zoneID: zoneID)
        }
        return CKShareMetadata(
            CKShareMetadata.State(
                containerIdentifier: container, share: share,
                rootRecordID: json["rootRecordName"]?.string.map { CKRecordID(recordName: $0, zoneID: zoneID) },
                rootRecord: root, owner: UserIdentityCoding.identity(json["ownerIdentity"]),
                role: ShareCoding.role(json["participantType"]?.string),
                status: ShareCoding.status(json["participantStatus"]?.string),
                permission: ShareCoding.permission(json["participantPermission"]?.string),
                link: json["shortGUID"]?["value"]?.string ?? (try? ShareLink.shortGUID(of: url))))
    }
}

extension JSONValue {
    /// The dictionary without its zone, so that the given zone is used.
    fileprivate func inZone(_ zoneID: CKRecordZoneID) -> JSONValue {
        guard case .object(let members) = self else { return self }
        return .object(members.filter { $0.key != "zoneID" })
    }
}
