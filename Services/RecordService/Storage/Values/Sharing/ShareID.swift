/// The number of a share within its zone: the number of the change that began it.
@frozen package struct ShareID: Sendable, Hashable, Comparable {
    /// `record.share.id`.
    package let rawValue: Int64

    /// Wraps the number.
    @inlinable package init(_ rawValue: Int64) { self.rawValue = rawValue }

    /// The order in which the shares of a zone began.
    @inlinable package static func < (left: ShareID, right: ShareID) -> Bool { left.rawValue < right.rawValue }
}

/// The share that a record belongs to.
package struct Membership: Sendable, Hashable {
    /// The share.
    package var share: ShareID
    /// The number of the record's last change, or that of its entering if it has not changed since.
    package var seq: Int64
    /// The number of the change by which the record entered the share.
    package var since: Int64
    /// Whether the share has ended. A background job removes the record from it.
    package var isEnded: Bool

    /// Creates a membership.
    package init(share: ShareID, seq: Int64, since: Int64, isEnded: Bool = false) {
        self.share = share
        self.seq = seq
        self.since = since
        self.isEnded = isEnded
    }
}

/// Which shares a zone has: the column `sharing` of `record.zone`.
package enum ZoneSharing: Int16, Sendable {
    /// None.
    case none = 0
    /// Shares of records and what is below them.
    case records = 1
    /// One share of the whole zone.
    case wholeZone = 2

    /// The settings of every connection that writes zones. They declare that memberships are kept: the constraint
    /// `zone_sharing` refuses writes in shared zones without them, which a service of an earlier release would make.
    package static let sessionParameters = ["zonda.sharing": "on"]
}
