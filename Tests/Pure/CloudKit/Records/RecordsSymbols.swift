import CloudKit

// Names every documented symbol of this group. If one is missing or has other labels, this file does not compile.

private func ckRecord(_ record: CKRecord, _ id: CKRecord.ID, _ zoneID: CKRecordZone.ID, _ coder: NSCoder) {
    let type: CKRecord.RecordType = record.recordType
    let key: CKRecord.FieldKey = CKRecord.SystemFieldKey.recordID
    _ = CKRecord(recordType: type)
    _ = CKRecord(recordType: type, recordID: id)
    _ = CKRecord(coder: coder)
    _ = record.recordID
    _ = record.recordChangeTag
    _ = record.creationDate
    _ = record.creatorUserRecordID
    _ = record.modificationDate
    _ = record.lastModifiedUserRecordID
    _ = record.parent
    _ = record.share
    _ = record.allKeys()
    _ = record.changedKeys()
    _ = record.allTokens()
    record.setParent(record)
    record.setParent(id)
    record.encodeSystemFields(with: coder)
    let object: (any CKRecordValue)? = record.object(forKey: key)
    record.setObject(object, forKey: key)
    record[key] = "text"
    record[key] = 1
    record[key] = nil
    record[key] = object
    let text: String? = record[key]
    let plain: (any CKRecordValueProtocol)? = record[key]
    let bridged: (any __CKRecordObjCValue)? = record[key]
    _ = (text, plain, bridged)
    let encrypted: any CKRecordKeyValueSetting = record.encryptedValues
    _ = encrypted.allKeys() + encrypted.changedKeys()
    encrypted.setObject(encrypted.object(forKey: key), forKey: key)
    var iterator: CKRecordKeyValueIterator = record.makeIterator()
    _ = iterator.next()
    for (key, value) in record { _ = (key, value) }
    _ = [CKRecord.SystemType.userRecord, CKRecord.SystemType.share]
    _ = [
        CKRecord.SystemFieldKey.creationDate, CKRecord.SystemFieldKey.creatorUserRecordID,
        CKRecord.SystemFieldKey.lastModifiedUserRecordID, CKRecord.SystemFieldKey.modificationDate,
        CKRecord.SystemFieldKey.parent, CKRecord.SystemFieldKey.share,
    ]
    _ = CKRecord.ID(recordName: "n")
    _ = CKRecord.ID(recordName: "n", zoneID: zoneID)
    _ = (id.recordName, id.zoneID)
    let action: CKRecord.ReferenceAction = .deleteSelf
    let reference = CKRecord.Reference(recordID: id, action: action)
    _ = CKRecord.Reference(record: record, action: .none)
    _ = (reference.recordID, reference.action)
}

private func ckAsset(_ url: URL) {
    let asset = CKAsset(fileURL: url)
    let file: URL? = asset.fileURL
    _ = file
}

private func zones(_ zoneID: CKRecordZone.ID) {
    let zone = CKRecordZone(zoneName: "Z")
    _ = [CKRecordZone(zoneID: zoneID), CKRecordZone.default(), zone]
    let capabilities: CKRecordZone.Capabilities = [.atomic, .fetchChanges, .sharing, .zoneWideSharing]
    _ = zone.capabilities.contains(capabilities)
    _ = (zone.zoneID, zone.share, CKRecordZone.ID.default, CKRecordZone.ID.defaultZoneName)
    _ = CKRecordZone.ID(zoneName: "Z", ownerName: CKCurrentUserDefaultName)
    _ = (zoneID.zoneName, zoneID.ownerName)
    _ = CKServerChangeToken.self
}

private func sharing(_ root: CKRecord, _ zoneID: CKRecordZone.ID, _ metadata: CKShare.Metadata) {
    let share = CKShare(rootRecord: root)
    _ = [CKShare(rootRecord: root, shareID: root.recordID), CKShare(recordZoneID: zoneID), share]
    share[CKShare.SystemFieldKey.title] = "Title"
    _ = [CKShare.SystemFieldKey.shareType, CKShare.SystemFieldKey.thumbnailImageData]
    share.publicPermission = .readOnly
    _ = (share.url, share.owner, share.participants, share.currentUserParticipant)
    for participant in share.participants {
        share.addParticipant(participant)
        share.removeParticipant(participant)
        participant.permission = .readWrite
        participant.role = .privateUser
        _ = (participant.acceptanceStatus, participant.userIdentity, participant.participantID)
        let identity = participant.userIdentity
        _ = (identity.userRecordID, identity.lookupInfo, identity.nameComponents, identity.hasiCloudAccount)
    }
    _ = (metadata.containerIdentifier, metadata.share, metadata.hierarchicalRootRecordID, metadata.rootRecord)
    _ = (metadata.ownerIdentity, metadata.participantRole, metadata.participantStatus, metadata.participantPermission)
    _ = CKUserIdentity.LookupInfo.lookupInfos(withEmails: ["a@example.org"])
    _ = CKUserIdentity.LookupInfo.lookupInfos(withPhoneNumbers: ["1"])
    _ = CKUserIdentity.LookupInfo.lookupInfos(with: [root.recordID])
}
