internal import Crypto
internal import Glibc
internal import NIOCore

/// A file that is received over several requests. While one of them has it, it is locked; when none has, it waits in the
/// folder `partial`, by its name.
struct PartialFile: BlobUpload {
    private static let readBytes = 1 << 20

    /// How many bytes it had when this request took it.
    let offset: Int64
    private let file: OpenFile
    private let path: String
    private let folders: BlobFolders
    private let threads: BlobThreads

    /// A locked file of `offset` bytes.
    init(_ file: OpenFile, _ path: String, offset: Int64, for folders: BlobFolders, threads: BlobThreads) {
        self.file = file
        self.path = path
        self.offset = offset
        self.folders = folders
        self.threads = threads
    }

    func append(_ bytes: ByteBuffer) async throws(BlobStoreError) {
        try await threads.run { [file] () throws(BlobStoreError) in try file.write(bytes) }
    }

    func commit(as key: BlobKey) async throws(BlobStoreError) {
        try await threads.run { () throws(BlobStoreError) in
            try file.synchronizeData()
            try folders.prepare(for: key)
            guard rename(path, folders.path(of: key)) == 0 else {
                throw BlobStoreError(call: "rename", folders.path(of: key))
            }
            try OpenFile.synchronizeFolder(folders.folder(of: key))
        }
    }

    func discard() async {
        try? await threads.run { () throws(BlobStoreError) in
            // Not there any more: committed, and its bytes are somebody's.
            if unlink(path) == 0 { file.empty() }
            file.unlock()
        }
    }

    func suspend() async {
        try? await threads.run { () throws(BlobStoreError) in
            try? file.synchronizeData()
            file.unlock()
        }
    }

    /// Forgets the bytes of this request.
    func rewind() async throws(BlobStoreError) {
        try await threads.run { () throws(BlobStoreError) in try file.truncate(to: offset) }
    }

    /// The hash of its first bytes, read from the disk.
    ///
    /// - Throws: ``BlobStoreError``, also when there are fewer.
    func hash(of count: Int64) async throws(BlobStoreError) -> SHA256 {
        try await threads.run { () throws(BlobStoreError) in
            var (hash, offset) = (SHA256(), Int64(0))
            while offset < count {
                let bytes = try file.read(at: offset, count: Int(min(count - offset, Int64(Self.readBytes))))
                guard bytes.readableBytes > 0 else { throw BlobStoreError("'\(path)' has become shorter") }
                bytes.withUnsafeReadableBytes { hash.update(bufferPointer: $0) }
                offset += Int64(bytes.readableBytes)
            }
            return hash
        }
    }
}
