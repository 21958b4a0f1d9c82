package import CloudKitModel

/// What a user may do with individual records in another user's zone.
extension ShareAccess {
    /// Whether the user sees the whole zone.
    package var isOfZone: Bool { shares.contains(where: \.isOfZone) }

    /// Returns the permission for the records of a share or, if `share` is nil, for the records that do not belong to
    /// any share. The permission is `none` if the user may not see these records.
    package func permission(in share: ShareID?) -> SharePermission {
        if let zone = shares.first(where: \.isOfZone) { return zone.permission }
        guard let share else { return .none }
        return shares.first { $0.id == share }?.permission ?? .none
    }

    /// Whether the record is live and the user may see it.
    package func sees(_ record: StoredRecord) -> Bool {
        !record.isTombstone && permission(in: record.membership?.live) != .none
    }

    /// Whether the record is live and the user may change it.
    package func mayWrite(_ record: StoredRecord) -> Bool {
        !record.isTombstone && permission(in: record.membership?.live) == .readWrite
    }

    /// Whether the user is an administrator of the share that has the record `share`.
    package func administers(_ share: StoredRecord) -> Bool {
        guard let id = share.membership?.live else { return isOfZone && shares.contains(where: \.isAdministrator) }
        return shares.contains { $0.id == id && $0.isAdministrator }
    }

    /// Whether the user could see a record immediately before it was deleted.
    package func couldSee(_ tombstone: StoredRecord) -> Bool {
        shares.contains { share in
            tombstone.changeSeq > share.since && (share.isOfZone || tombstone.membership?.share == share.id)
        }
    }
}
