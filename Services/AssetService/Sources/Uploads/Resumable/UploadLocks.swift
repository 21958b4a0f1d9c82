internal import NIOCore
internal import Synchronization

/// Lets one request at a time continue a resumable upload. A later request comes from a client that has given up the
/// earlier one, whose connection is therefore closed (draft-ietf-httpbis-resumable-upload, concurrency).
///
/// These locks hold within this process. Between processes the lock of the upload's file does.
final class UploadLocks: Sendable {
    private struct Holder {
        let channel: any Channel
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let holders = Mutex<[String: Holder]>([:])

    /// Runs `body` while no other request holds the lock `name`. It closes the connection of the request that holds it.
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
