internal import NIOCore
internal import Synchronization

/// Lets only one request at a time continue a resumable upload. A later request means that the client has given up on
/// the earlier one, so the connection of the earlier request is closed (draft-ietf-httpbis-resumable-upload,
/// concurrency).
///
/// These locks are effective only within this process. Between processes, the lock on the upload's file has the same
/// effect.
final class UploadLocks: Sendable {
    private struct Holder {
        let channel: any Channel
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let holders = Mutex<[String: Holder]>([:])

    /// Runs `body` while holding the lock `name`. If another request holds the lock, the method first closes the
    /// connection of that request and waits until the request releases the lock.
    func withLock<Value>(
        _ name: String, on channel: any Channel, _ body: () async throws -> Value
    ) async throws -> Value {
        while !acquire(name, channel) { await wait(for: name) }
        defer { release(name) }
        return try await body()
    }

    private func acquire(_ name: String, _ channel: any Channel) -> Bool {
        holders.withLock { holders in
            guard holders[name] == nil else { return false }
            holders[name] = Holder(channel: channel)
            return true
        }
    }

    private func wait(for name: String) async {
        await withCheckedContinuation { continuation in
            let channel = holders.withLock { holders in
                holders[name]?.waiting.append(continuation)
                return holders[name]?.channel
            }
            guard let channel else { return continuation.resume() }
            channel.close(promise: nil)
        }
    }

    private func release(_ name: String) {
        let holder = holders.withLock { $0.removeValue(forKey: name) }
        for continuation in holder?.waiting ?? [] { continuation.resume() }
    }
}
