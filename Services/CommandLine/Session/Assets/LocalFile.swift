import CLinux
import Dispatch
import Glibc
package import NIOCore

/// A file to upload. It is opened only once, so that the same file is hashed and sent even if another file replaces it
/// at its path. A separate queue performs the blocking reads.
package final class LocalFile: Sendable {
    /// The maximum size of a read, in bytes.
    private static let chunkBytes: Int64 = 1 << 18

    /// The path as given.
    package let path: String
    /// The file's size in bytes when it was opened.
    package let size: Int64
    private let descriptor: Int32
    private let version: Version?
    private let queue = DispatchQueue(label: "zonda.asset.read")

    /// The properties that reveal a modification of the file.
    private struct Version: Equatable {
        var size: Int64 = 0
        var changed: Int64 = 0

        /// Fails if `descriptor` does not refer to a regular file.
        init?(of descriptor: Int32) {
            guard zonda_regular_file_version(descriptor, &size, &changed) == 0 else { return nil }
        }
    }

    /// Opens `path`.
    ///
    /// - Throws: `.local(.file)` if the file cannot be opened or is not a regular file.
    package init(path: String) throws(RequestFailure) {
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        let error = errno
        self.path = path
        version = Version(of: descriptor)
        size = version?.size ?? 0
        guard descriptor >= 0 else { throw .file("cannot open '\(path)'", error) }
        guard version != nil else { throw .local(.file, reason: "'\(path)' is not a regular file") }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Reads at least 1 byte and at most 256 KiB, starting at `offset`.
    ///
    /// - Throws: `.local`, with `.assetFileModified` if the file has become shorter than `offset`.
    package func chunk(at offset: Int64) async throws(RequestFailure) -> ByteBuffer {
        let result: Result<ByteBuffer, RequestFailure> = await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: self.readChunk(at: offset)) }
        }
        return try result.get()
    }

    /// Reads the whole file and passes its bytes to `take`, in order.
    ///
    /// - Throws: the same errors as ``chunk(at:)``.
    package func read(_ take: (ByteBuffer) -> Void) async throws(RequestFailure) {
        var offset: Int64 = 0
        while offset < size {
            let chunk = try await chunk(at: offset)
            offset += Int64(chunk.readableBytes)
            take(chunk)
        }
    }

    /// Checks that the file has not been modified since it was opened.
    ///
    /// - Throws: `.local(.assetFileModified)`.
    package func checkUnchanged() throws(RequestFailure) {
        guard let now = Version(of: descriptor), now == version else { throw modified }
    }

    private var modified: RequestFailure {
        .local(.assetFileModified, reason: "'\(path)' changed while it was being uploaded")
    }

    private func readChunk(at offset: Int64) -> Result<ByteBuffer, RequestFailure> {
        let count = Int(min(Self.chunkBytes, size - offset))
        var buffer = ByteBuffer()
        while true {
            var error: Int32 = 0
            let got = buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: count) { bytes in
                let got = pread(descriptor, bytes.baseAddress, count, off_t(offset))
                error = got < 0 ? errno : 0
                return max(0, got)
            }
            if got > 0 { return .success(buffer) }
            if error == 0 { return .failure(modified) }
            if error != EINTR { return .failure(.file("cannot read '\(path)'", error)) }
        }
    }
}

/// The bytes of a file, in order, from an offset.
struct FileChunks: AsyncSequence, Sendable {
    typealias Element = ByteBuffer

    /// The file.
    let file: LocalFile
    /// The offset of the first byte.
    var offset: Int64 = 0
    /// Called with the offset up to which the file has been read.
    let progress: @Sendable (Int64) -> Void

    func makeAsyncIterator() -> Iterator { Iterator(file: file, offset: offset, progress: progress) }

    struct Iterator: AsyncIteratorProtocol {
        let file: LocalFile
        let progress: @Sendable (Int64) -> Void
        private var offset: Int64

        init(file: LocalFile, offset: Int64, progress: @escaping @Sendable (Int64) -> Void) {
            self.file = file
            self.offset = offset
            self.progress = progress
        }

        mutating func next() async throws -> ByteBuffer? {
            guard offset < file.size else { return nil }
            let chunk = try await file.chunk(at: offset)
            offset += Int64(chunk.readableBytes)
            progress(offset)
            return chunk
        }
    }
}

extension RequestFailure {
    /// Returns the error for a failed file operation: `what`, followed by the text for `error`, which is an `errno`.
    static func file(_ what: String, _ error: Int32) -> RequestFailure {
        .local(.file, reason: "\(what): \(String(cString: strerror(error)))")
    }
}
