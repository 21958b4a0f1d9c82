internal import NIOPosix

/// The threads on which files are read and written: a call that waits for a disk stands neither in the way of other
/// tasks nor of the network.
struct BlobThreads: Sendable {
    /// A few more than the disk needs to be busy: some of them wait for it to have written.
    static let count = 8

    private let pool: NIOThreadPool

    /// Threads of `pool`.
    init(_ pool: NIOThreadPool = .singleton) { self.pool = pool }

    /// Runs `work` to its end, also when the task is cancelled: no file is left half way.
    func run<Value: Sendable>(
        _ work: @escaping @Sendable () throws(BlobStoreError) -> Value
    ) async throws(BlobStoreError) -> Value {
        try await withCheckedContinuation { (continuation: CheckedContinuation<Result<Value, BlobStoreError>, Never>) in
            pool.submit { _ in continuation.resume(returning: Result(catching: work)) }
        }.get()
    }
}
