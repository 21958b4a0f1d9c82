/// A snapshot of PostgreSQL's transactions, in the text form of `pg_current_snapshot()`: `xmin:xmax:xip,xip…`.
package struct TransactionSnapshot: Sendable, Equatable {
    /// Every transaction with a lower number had ended.
    private let xmin: UInt64
    /// No transaction with this or a higher number had begun to write.
    private let xmax: UInt64
    /// The transactions that were in progress, from ``xmin`` up to but not including ``xmax``.
    private let inProgress: Set<UInt64>

    /// The text of a snapshot in which no transaction is visible.
    package static let oldest = "3:3:"

    /// Parses the text of a snapshot; returns nil if it is not valid.
    package init?(_ text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 3, let xmin = UInt64(parts[0]), let xmax = UInt64(parts[1]), xmin <= xmax else {
            return nil
        }
        let xip = parts[2].split(separator: ",")
        let inProgress = xip.compactMap { UInt64($0) }
        guard inProgress.count == xip.count else { return nil }
        (self.xmin, self.xmax, self.inProgress) = (xmin, xmax, Set(inProgress))
    }

    /// Returns whether a transaction had committed when the snapshot was taken, as `pg_visible_in_snapshot` does. The
    /// transaction must have committed by now.
    package func sees(_ xid: UInt64) -> Bool {
        xid < xmin || (xid < xmax && !inProgress.contains(xid))
    }
}
