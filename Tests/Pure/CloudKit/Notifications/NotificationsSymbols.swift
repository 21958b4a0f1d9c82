import CloudKit

// Names every documented symbol of this group. If one is missing or has other labels, this file does not compile.

private func ckDatabaseNotification(_ object: CKDatabaseNotification) {
    _ = CKDatabaseNotification.self
    _ = object.databaseScope
}

private func ckNotification(_ object: CKNotification) {
    _ = CKNotification.init(fromRemoteNotificationDictionary:)
    _ = CKNotification.self
    _ = object.alertActionLocalizationKey
    _ = object.alertBody
    _ = object.alertLaunchImage
    _ = object.alertLocalizationArgs
    _ = object.alertLocalizationKey
    _ = object.badge
    _ = object.category
    _ = object.containerIdentifier
    _ = object.isPruned
    _ = object.notificationID
    _ = object.notificationType
    _ = object.soundName
    _ = object.subscriptionID
    _ = object.subscriptionOwnerUserRecordID
    _ = object.subtitle
    _ = object.subtitleLocalizationArgs
    _ = object.subtitleLocalizationKey
    _ = object.title
    _ = object.titleLocalizationArgs
    _ = object.titleLocalizationKey
}

private func ckNotificationID() {
    _ = CKNotification.ID.self
}

private func ckNotificationNotificationType() {
    _ = CKNotification.NotificationType.database
    _ = CKNotification.NotificationType.init(rawValue:)
    _ = CKNotification.NotificationType.query
    _ = CKNotification.NotificationType.readNotification
    _ = CKNotification.NotificationType.recordZone
    _ = CKNotification.NotificationType.self
}

private func ckQueryNotification(_ object: CKQueryNotification) {
    _ = CKQueryNotification.self
    _ = object.databaseScope
    _ = object.queryNotificationReason
    _ = object.recordFields
    _ = object.recordID
}

private func ckQueryNotificationReason() {
    _ = CKQueryNotification.Reason.init(rawValue:)
    _ = CKQueryNotification.Reason.recordCreated
    _ = CKQueryNotification.Reason.recordDeleted
    _ = CKQueryNotification.Reason.recordUpdated
    _ = CKQueryNotification.Reason.self
}

private func ckRecordZoneNotification(_ object: CKRecordZoneNotification) {
    _ = CKRecordZoneNotification.init(fromRemoteNotificationDictionary:)
    _ = CKRecordZoneNotification.self
    _ = object.databaseScope
    _ = object.recordZoneID
}
