/// A moment among PostgreSQL's transactions, as `pg_current_snapshot()` writes it: `xmin:xmax:xip,xip…`.
struct TransactionSnapshot: Sendable, Equatable {
    /// Every transaction below has ended.
    private let xmin: UInt64
    /// No transaction from here on had begun to write.
    private let xmax: UInt64
    /// Those between the two that were at work.
    private let inProgress: Set<UInt64>

    /// A moment that sees no transaction.
    static let oldest = "3:3:"

    /// Reads a snapshot's text; nil when it is none.
    init?(_ text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 3, let xmin = UInt64(parts[0]), let xmax = UInt64(parts[1]), xmin <= xmax else {
            return nil
        }
        let xip = parts[2].split(separator: ",")
        let inProgress = xip.compactMap { UInt64($0) }
        guard inProgress.count == xip.count else { return nil }
        (self.xmin, self.xmax, self.inProgress) = (xmin, xmax, Set(inProgress))
    }

    /// Whether a transaction, known to have committed, had done so at that moment: `pg_visible_in_snapshot`.
    func sees(_ xid: UInt64) -> Bool {
        xid < xmin || (xid < xmax && !inProgress.contains(xid))
    }
}
