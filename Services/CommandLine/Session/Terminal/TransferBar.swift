import Synchronization

/// The progress line of a transfer, updated at most once per percent.
package final class TransferBar: Sendable {
    private let name: String
    private let before: Int64
    private let total: Int64
    private let isHidden: Bool
    private let shown = Mutex<Int64>(-1)

    /// Creates the progress line for a transfer that begins when `before` of `total` bytes have already been
    /// transferred.
    ///
    /// - Parameter isHidden: whether to hide the line because a program reads the output.
    package init(name: String, before: Int64, total: Int64, isHidden: Bool = false) {
        self.isHidden = isHidden
        self.name = name
        self.before = before
        self.total = total
    }

    /// Shows that this transfer has sent or received `bytes` bytes. May be called on any thread.
    package func show(_ bytes: Int64) {
        guard Console.showsProgress, !isHidden, total > 0 else { return }
        let done = before + bytes
        let isNews = shown.withLock { shown in
            defer { shown = done * 100 / total }
            return shown != done * 100 / total
        }
        guard isNews else { return }
        Console.progress(
            ProgressBar.line(
                fraction: Double(done) / Double(total), "\(done.grouped) of \(total.grouped) bytes  \(name)"))
    }
}
