internal import Foundation
internal import NIOCore

/// An object that is being received. Of its bytes one part is held.
///
/// What fits in one part is put under its key at once. More goes to `incoming` in parts, since the key is made of
/// the content's checksum and known only at the end; there S3 copies the whole object to its key, on its own side, and
/// the first one is removed. Whoever looks meanwhile finds nothing under the key or all of it.
actor S3Upload: BlobUpload {
    private enum State {
        /// Nothing has been sent.
        case gathering
        /// Parts are sent; their ETags in order.
        case sending(upload: String, parts: [String])
        /// The parts may be an object in `incoming`, the content may be under the key.
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

    /// `<seconds since 1970>-<uuid>`: a name that was never there, and tells its age, which not every server does right
    /// of an upload that has no part yet.
    static func name(begun: Date) -> String {
        "\(Int64(begun.timeIntervalSince1970))-\(UUID().uuidString.lowercased())"
    }

    /// When an upload of that name was begun; nil when it has none of ours.
    static func begun(_ name: some StringProtocol) -> Date? {
        name.split(separator: "-").first.flatMap { Int64($0) }.map { Date(timeIntervalSince1970: TimeInterval($0)) }
    }

    /// How much memory the bytes take that have not been sent.
    var heldBytes: Int { part.storageCapacity }

    func append(_ bytes: ByteBuffer) async throws(BlobStoreError) {
        var rest = bytes
        while rest.readableBytes > 0 {
            let room = store.configuration.partBytes - part.readableBytes
            // Not before more comes: an object of exactly one part is put at once.
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
            // The content is where it should be; what stays here is removed as an abandoned one.
            try? await store.remove(path)
        }
        state = .ended
        part = ByteBuffer()
    }

    func discard() async {
        let (state, path, store) = (state, path, store)
        self.state = .ended
        part = ByteBuffer()
        // In a task of its own, which nobody cancels. What it cannot remove is removed later, as an abandoned upload or
        // as a file without a row.
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
