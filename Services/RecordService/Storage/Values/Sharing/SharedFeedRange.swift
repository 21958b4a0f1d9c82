/// The part of a participant's feed that one page reads.
package struct SharedFeedRange: Sendable {
    /// The position after which the part begins.
    package let after: SharedPosition
    /// The position before which the part ends.
    package let before: SharedPosition
    /// Whether the page begins with the newest change.
    package let descends: Bool
    /// Deletions up to this number are left out, because the reader has never seen the deleted records.
    package let horizon: Int64

    /// Creates a part, by default one that ends with the newest change.
    package init(
        after: SharedPosition, before: SharedPosition = .last, descends: Bool = false, horizon: Int64
    ) {
        self.after = after
        self.before = before
        self.descends = descends
        self.horizon = horizon
    }
}
