internal import NIOCore
internal import Synchronization

/// Lets one request after another at a resumable upload. A later one is from a client that has given the earlier one up,
/// whose connection is therefore closed (draft-ietf-httpbis-resumable-upload, concurrency).
///
/// That is so within this process; an upload that another one has is locked by its file.
final class UploadTurns: Sendable {
    private struct Turn {
        var channel: any Channel
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let turns = Mutex<[String: Turn]>([:])

    /// Runs `body` while no other request is at the upload.
    func withTurn<Value>(
        at name: String, on channel: any Channel, _ body: () async throws -> Value
    ) async throws -> Value {
        while !take(name, channel) { await wait(for: name) }
        defer { leave(name) }
        return try await body()
    }

    private func take(_ name: String, _ channel: any Channel) -> Bool {
        turns.withLock { turns in
            guard turns[name] == nil else { return false }
            turns[name] = Turn(channel: channel)
            return true
        }
    }

    private func wait(for name: String) async {
        await withCheckedContinuation { continuation in
            let channel = turns.withLock { turns in
                turns[name]?.waiting.append(continuation)
                return turns[name]?.channel
            }
            guard let channel else { return continuation.resume() }
            channel.close(promise: nil)
        }
    }

    private func leave(_ name: String) {
        let turn = turns.withLock { $0.removeValue(forKey: name) }
        for continuation in turn?.waiting ?? [] { continuation.resume() }
    }
}
