package import CloudKitModel

/// A user's access to another user's zone.
package struct ShareAccess: Sendable {
    /// A live share to which the user has access.
    package struct Share: Sendable {
        /// The share.
        package let id: ShareID
        /// Whether the share covers the whole zone.
        package let isOfZone: Bool
        /// What the user may do.
        package let permission: SharePermission
        /// The number of the change that gave the user access.
        package let since: Int64
        /// Whether the user is an administrator of the share.
        package let isAdministrator: Bool

        /// Creates a share.
        package init(
            id: ShareID, isOfZone: Bool, permission: SharePermission, since: Int64, isAdministrator: Bool = false
        ) {
            self.id = id
            self.isOfZone = isOfZone
            self.permission = permission
            self.since = since
            self.isAdministrator = isAdministrator
        }
    }

    /// A share to which the user no longer has access.
    package struct Lost: Sendable {
        /// The share.
        package let id: ShareID
        /// The number of the change that gave the user access.
        package let since: Int64
        /// The number of the change that ended the user's access.
        package let until: Int64

        /// Creates a share.
        package init(id: ShareID, since: Int64, until: Int64) {
            self.id = id
            self.since = since
            self.until = until
        }
    }

    /// The live shares to which the user has access; never empty.
    package let shares: [Share]
    /// The shares to which the user no longer has access.
    package let lost: [Lost]
    /// The number of the latest change that cost the user access to a share that the user later regained; nil if there
    /// is none. The shares do not show what happened before the user regained access.
    package let lastInterruption: Int64?
    /// The moves that a background job completes in the zone. If records are leaving shares, the members of a share are
    /// visible only if their parents lead to the share's root.
    package var moves = ShareMoves.none

    /// Creates the access to `shares`.
    package init(shares: [Share], lost: [Lost] = [], lastInterruption: Int64? = nil) {
        self.shares = shares
        self.lost = lost
        self.lastInterruption = lastInterruption
    }

    /// The shares whose records the user may see; nil if the user may see every record of the zone.
    package var visibleShares: [ShareID]? { shares.contains(where: \.isOfZone) ? nil : shares.map(\.id) }
}
