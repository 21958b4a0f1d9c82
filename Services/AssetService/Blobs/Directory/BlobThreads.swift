internal import NIOPosix

/// The threads for blocking calls on files, so that a call that is waiting for a disk blocks neither tasks nor the
/// network.
package struct BlobThreads: Sendable {
    /// The number of threads: a few more than are needed to keep the disk busy, because some of them might be waiting
    /// for `fsync`.
    package static let count = 8

    private let pool: NIOThreadPool

    /// Creates a value that uses the threads of `pool`.
    init(_ pool: NIOThreadPool = .singleton) { self.pool = pool }

    /// Runs `work` to completion, even if the task is cancelled, so that no file is left half-written.
    func run<Value: Sendable>(
        _ work: @escaping @Sendable () throws(BlobStoreError) -> Value
    ) async throws(BlobStoreError) -> Value {
        try await withCheckedContinuation { (continuation: CheckedContinuation<Result<Value, BlobStoreError>, Never>) in
            pool.submit { _ in continuation.resume(returning: Result(catching: work)) }
        }.get()
    }
}
