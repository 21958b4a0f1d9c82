internal import Foundation
internal import NIOCore

/// An upload to a bucket. It keeps one part in memory.
///
/// Content that fits in one part is written directly under its key. Larger content is sent to `incoming` in parts,
/// because its key contains the checksum and is known only at the end. S3 then copies the object to its key, and the
/// object in `incoming` is removed. Under the key, readers find either nothing or the complete object.
actor S3Upload: BlobUpload {
    private enum State {
        /// No part has been sent.
        case gathering
        /// Parts have been sent, with these ETags in order.
        case sending(upload: String, parts: [String])
        /// The parts might have become an object in `incoming`, and the content might already be visible under the key.
        case committing(upload: String?, key: BlobKey)
        case ended
    }

    private let store: S3BlobStore
    private let path: String
    private var state = State.gathering
    private var part = ByteBuffer()
    private var sentBytes: Int64 = 0

    init(to store: S3BlobStore) {
        self.store = store
        path = store.incoming + Self.name(begun: Date())
    }

    /// Returns `<seconds since 1970>-<uuid>`, a unique name that contains the time at which the upload began. Some
    /// servers do not report this time for uploads without parts.
    static func name(begun: Date) -> String {
        "\(Int64(begun.timeIntervalSince1970))-\(UUID().uuidString.lowercased())"
    }

    /// Returns the time at which the upload with this name began; nil if the name is malformed.
    static func begun(_ name: some StringProtocol) -> Date? {
        name.split(separator: "-").first.flatMap { Int64($0) }.map { Date(timeIntervalSince1970: TimeInterval($0)) }
    }

    /// The amount of memory that the unsent bytes occupy, in bytes.
    var heldBytes: Int { part.storageCapacity }

    func append(_ bytes: ByteBuffer) async throws(BlobStoreError) {
        var rest = bytes
        while rest.readableBytes > 0 {
            let room = store.configuration.partBytes - part.readableBytes
            // A part is sent only if more bytes follow, because an object of exactly one part is written in one
            // request.
            if room == 0 {
                try await sendPart()
            } else if var slice = rest.readSlice(length: min(room, rest.readableBytes)) {
                part.writeBuffer(&slice)
            }
        }
    }

    func commit(as key: BlobKey) async throws(BlobStoreError) {
        if case .gathering = state {
            state = .committing(upload: nil, key: key)
            try await store.put(store.path(of: key), part)
        } else {
            try await sendPart()
            guard case .sending(let upload, let parts) = state else { throw BlobStoreError("S3: the upload has ended") }
            state = .committing(upload: upload, key: key)
            try await store.complete(path, upload: upload, parts: parts, size: sentBytes)
            try await store.copy(path, to: store.path(of: key), size: sentBytes)
            // The content is stored. If the object in `incoming` remains, it is removed later as an abandoned upload.
            try? await store.remove(path)
        }
        state = .ended
        part = ByteBuffer()
    }

    func discard() async {
        let (state, path, store) = (state, path, store)
        self.state = .ended
        part = ByteBuffer()
        // Cancelling the current task does not cancel this unstructured task. Anything that it cannot remove is removed
        // later as an abandoned upload or as a file without a row.
        await Task {
            switch state {
            case .gathering, .ended: break
            case .sending(let upload, _): try? await store.abort(path, upload: upload)
            case .committing(let upload, let key):
                if let upload {
                    try? await store.abort(path, upload: upload)
                    try? await store.remove(path)
                }
                try? await store.remove(store.path(of: key))
            }
        }.value
    }

    private func sendPart() async throws(BlobStoreError) {
        if case .gathering = state { state = .sending(upload: try await store.begin(path), parts: []) }
        guard case .sending(let upload, var parts) = state else { throw BlobStoreError("S3: the upload has ended") }
        parts.append(try await store.sendPart(part, number: parts.count + 1, of: upload, at: path))
        state = .sending(upload: upload, parts: parts)
        sentBytes += Int64(part.readableBytes)
        part.clear()
    }
}
