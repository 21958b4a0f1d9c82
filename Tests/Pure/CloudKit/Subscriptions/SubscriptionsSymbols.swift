import CloudKit

// Names every documented symbol of this group. If one is missing or has other labels, this file does not compile.

private func ckDatabaseSubscription(_ object: CKDatabaseSubscription) {
    _ = CKDatabaseSubscription.init()
    _ = CKDatabaseSubscription.init(coder:)
    _ = CKDatabaseSubscription.init(subscriptionID:)
    _ = CKDatabaseSubscription.self
    _ = object.recordType
}

private func ckQuerySubscription(_ object: CKQuerySubscription) {
    _ = CKQuerySubscription.init(coder:)
    _ = CKQuerySubscription.init(recordType:predicate:options:)
    _ = CKQuerySubscription.init(recordType:predicate:subscriptionID:options:)
    _ = CKQuerySubscription.self
    _ = object.predicate
    _ = object.querySubscriptionOptions
    _ = object.recordType
    _ = object.zoneID
}

private func ckQuerySubscriptionOptions() {
    _ = CKQuerySubscription.Options.firesOnRecordCreation
    _ = CKQuerySubscription.Options.firesOnRecordDeletion
    _ = CKQuerySubscription.Options.firesOnRecordUpdate
    _ = CKQuerySubscription.Options.firesOnce
    _ = CKQuerySubscription.Options.init(rawValue:)
    _ = CKQuerySubscription.Options.self
}

private func ckRecordZoneSubscription(_ object: CKRecordZoneSubscription) {
    _ = CKRecordZoneSubscription.init(coder:)
    _ = CKRecordZoneSubscription.init(zoneID:)
    _ = CKRecordZoneSubscription.init(zoneID:subscriptionID:)
    _ = CKRecordZoneSubscription.self
    _ = object.recordType
    _ = object.zoneID
}

private func ckSubscription(_ object: CKSubscription) {
    _ = CKSubscription.self
    _ = object.notificationInfo
    _ = object.subscriptionID
    _ = object.subscriptionType
}

private func ckSubscriptionID() {
    _ = CKSubscription.ID.self
}

private func ckSubscriptionNotificationInfo(_ object: CKSubscription.NotificationInfo) {
    _ = CKSubscription.NotificationInfo.init()
    _ =
        CKSubscription.NotificationInfo.init(
            alertBody:alertLocalizationKey:alertLocalizationArgs:title:titleLocalizationKey:titleLocalizationArgs:
            subtitle:subtitleLocalizationKey:subtitleLocalizationArgs:alertActionLocalizationKey:alertLaunchImage:
            soundName:desiredKeys:shouldBadge:shouldSendContentAvailable:shouldSendMutableContent:category:
            collapseIDKey:)
    _ = CKSubscription.NotificationInfo.self
    _ = object.alertActionLocalizationKey
    _ = object.alertBody
    _ = object.alertLaunchImage
    _ = object.alertLocalizationArgs
    _ = object.alertLocalizationKey
    _ = object.category
    _ = object.collapseIDKey
    _ = object.desiredKeys
    _ = object.shouldBadge
    _ = object.shouldSendContentAvailable
    _ = object.shouldSendMutableContent
    _ = object.soundName
    _ = object.subtitle
    _ = object.subtitleLocalizationArgs
    _ = object.subtitleLocalizationKey
    _ = object.title
    _ = object.titleLocalizationArgs
    _ = object.titleLocalizationKey
}

private func ckSubscriptionSubscriptionType() {
    _ = CKSubscription.SubscriptionType.database
    _ = CKSubscription.SubscriptionType.init(rawValue:)
    _ = CKSubscription.SubscriptionType.query
    _ = CKSubscription.SubscriptionType.recordZone
    _ = CKSubscription.SubscriptionType.self
}
