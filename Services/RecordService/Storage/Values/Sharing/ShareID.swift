/// The number of a share within its zone: the number of the change that created it.
@frozen package struct ShareID: Sendable, Hashable, Comparable {
    /// `record.share.id`.
    package let rawValue: Int64

    /// Wraps the number.
    @inlinable package init(_ rawValue: Int64) { self.rawValue = rawValue }

    /// The order in which the shares of a zone were created.
    @inlinable package static func < (left: ShareID, right: ShareID) -> Bool { left.rawValue < right.rawValue }
}

/// The share that a record belongs to.
package struct Membership: Sendable, Hashable {
    /// The share.
    package var share: ShareID
    /// The number of the record's last change, or ``since`` if the record has not changed since it entered the share.
    package var seq: Int64
    /// The number of the change that added the record to the share.
    package var since: Int64
    /// Whether the share has ended. A background job then removes the record from the share.
    package var isEnded: Bool
    /// Whether the record no longer belongs to the share, because a record above it moved. A background job then moves
    /// the record too (``ShareMoveTable``). Only writers read this; it is false in the records of other reads.
    package var hasLeft = false

    /// Creates a membership.
    package init(share: ShareID, seq: Int64, since: Int64, isEnded: Bool = false) {
        self.share = share
        self.seq = seq
        self.since = since
        self.isEnded = isEnded
    }

    /// The share; nil if it has ended or the record has left it.
    package var live: ShareID? { isEnded || hasLeft ? nil : share }

    /// The share whose participants are notified of the record's next change; nil if the share has ended. The
    /// participants of a share that the record has left are notified of the change with which it leaves their feed.
    package var reported: ShareID? { isEnded ? nil : share }
}

/// The kind of shares in a zone: the column `sharing` of `record.zone`.
package enum ZoneSharing: Int16, Sendable {
    /// No shares.
    case none = 0
    /// Shares of single records and the records below them.
    case records = 1
    /// One zone-wide share.
    case wholeZone = 2

    /// The settings of every connection that writes zones. They declare that the writer maintains memberships. Without
    /// these settings, the constraint `zone_sharing` refuses writes to shared zones, for example those of a service of
    /// an earlier release.
    package static let sessionParameters = ["zonda.sharing": "on"]
}
