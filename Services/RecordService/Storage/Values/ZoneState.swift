/// The state of a zone's row, read in the same snapshot as the zone's records.
package struct ZoneState: Sendable {
    /// The number of the zone's last change.
    package let changeSeq: Int64
    /// The number of the change up to which tombstones might have been purged.
    package let purgeMark: Int64
    /// The number of the change up to which departures and ended shares might have been purged.
    package let departureMark: Int64
    /// Whether the zone was deleted.
    package let isDeleted: Bool
    /// Whether a background job is about to delete records in the zone (``CascadeTable``).
    package let isCascading: Bool
    /// The kind of shares in the zone.
    package let sharing: ZoneSharing
    /// The moves that a background job completes in the zone (``ShareMoveTable``).
    package let moves: ShareMoves

    /// Creates a state from its parts.
    package init(
        changeSeq: Int64, purgeMark: Int64, departureMark: Int64, isDeleted: Bool, isCascading: Bool,
        sharing: ZoneSharing, moves: ShareMoves = .none
    ) {
        self.changeSeq = changeSeq
        self.purgeMark = purgeMark
        self.departureMark = departureMark
        self.isDeleted = isDeleted
        self.isCascading = isCascading
        self.sharing = sharing
        self.moves = moves
    }
}
