internal import Crypto
internal import Glibc
internal import NIOCore

/// A file in the `partial` folder. Several requests write to the file, one at a time. Each request locks the file
/// while it writes.
struct PartialFile: FileUpload, PartialUpload {
    private static let readBytes = 1 << 20

    let resumedBytes: Int64
    let file: OpenFile
    let path: String
    let folders: BlobFolders
    let threads: BlobThreads

    /// Creates an upload that appends to a locked file of `resumedBytes` bytes.
    init(_ file: OpenFile, _ path: String, resumedBytes: Int64, for folders: BlobFolders, threads: BlobThreads) {
        self.file = file
        self.path = path
        self.resumedBytes = resumedBytes
        self.folders = folders
        self.threads = threads
    }

    func suspend() async {
        try? await threads.run { () throws(BlobStoreError) in
            try? file.synchronizeData()
            file.unlock()
        }
    }

    func rewind() async throws(BlobStoreError) {
        try await threads.run { () throws(BlobStoreError) in try file.truncate(to: resumedBytes) }
    }

    func hash(of count: Int64) async throws(BlobStoreError) -> SHA256 {
        try await threads.run { () throws(BlobStoreError) in
            var (hash, offset) = (SHA256(), Int64(0))
            while offset < count {
                let bytes = try file.read(at: offset, count: Int(min(count - offset, Int64(Self.readBytes))))
                guard bytes.readableBytes > 0 else { throw BlobStoreError("'\(path)' is shorter than expected") }
                bytes.withUnsafeReadableBytes { hash.update(bufferPointer: $0) }
                offset += Int64(bytes.readableBytes)
            }
            return hash
        }
    }
}
