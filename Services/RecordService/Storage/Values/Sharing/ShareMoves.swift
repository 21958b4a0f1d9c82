/// The moves of records into and out of shares that a background job completes in a zone: the column `share_moves` of
/// `record.zone`.
package enum ShareMoves: Int16, Sendable, Comparable {
    /// No such move is pending. Every record is stored in the share to which it belongs.
    case none = 0
    /// Records that belong to a share might not be stored in it yet.
    case entering = 1
    /// In addition, records might still be stored in a share to which they no longer belong. They are hidden from
    /// participants.
    case leaving = 2

    /// The order in which a zone with more moves needs more checks.
    package static func < (left: ShareMoves, right: ShareMoves) -> Bool { left.rawValue < right.rawValue }
}
