internal import CloudKitModel
internal import Foundation

// The values of CloudKit with which predicates compare fields. A record and its ID stand for a reference to it.

extension CKReference: PredicateComparable {
    var comparedValue: FieldValue { recordID.comparedValue }
}

extension CKRecordID: PredicateComparable {
    var comparedValue: FieldValue {
        let owner = zoneID.ownerName == CKCurrentUserDefaultName ? nil : UserName(unchecked: zoneID.ownerName)
        let zone = CloudKitModel.ZoneID(zoneName: ZoneName(unchecked: zoneID.zoneName), ownerRecordName: owner)
        // A name without a zone matches in every zone, also in the default zone, where names are often used alone.
        let isDefault = owner == nil && zone.isDefault
        return .reference(
            CloudKitModel.Reference(recordName: RecordName(unchecked: recordName), zoneID: isDefault ? nil : zone))
    }
}

extension CKRecord: PredicateComparable, PredicateSubject {
    var comparedValue: FieldValue { recordID.comparedValue }

    var predicateKeys: [String] { allKeys() }

    func predicateValue(forKey key: String) -> Any? {
        switch key {
        case "recordID": recordID
        case "creationDate": creationDate
        case "modificationDate": modificationDate
        case "creatorUserRecordID": creatorUserRecordID
        case "lastModifiedUserRecordID": lastModifiedUserRecordID
        case "parent": parent
        case "share": share
        default: object(forKey: key)
        }
    }
}

extension CLLocation: PredicateComparable {
    var comparedValue: FieldValue {
        .location(Location(latitude: coordinate.latitude, longitude: coordinate.longitude))
    }
}
