internal import CLinux
internal import Glibc
internal import NIOCore
internal import NIOPosix

/// The file of an asset that is to be uploaded. It is only read.
final class AssetSourceFile: Sendable {
    /// The largest number of bytes that are read at a time.
    static let chunkBytes = 1 << 18

    /// The path.
    let path: String
    /// The size when the file was opened.
    let size: Int64
    private let descriptor: Int32
    private let version: FileVersion?

    /// Opens a file.
    ///
    /// - Throws: ``CKError/Code/assetFileNotFound`` if it does not exist, is not a regular file or cannot be read.
    init(_ url: URL) async throws(CKError) {
        path = url.path
        (descriptor, size, version) = try await Self.open(url.path)
    }

    deinit { close(descriptor) }

    private static func open(_ path: String) async throws(CKError) -> (Int32, Int64, FileVersion?) {
        try await offThread { () throws(CKError) in
            let version = FileVersion(of: path)
            let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else {
                throw CKError(
                    .assetFileNotFound, "The file \(path) of an asset cannot be read.", underlying: POSIXError.last)
            }
            var (size, changed) = (Int64(0), Int64(0))
            guard zonda_regular_file_version(descriptor, &size, &changed) == 0 else {
                close(descriptor)
                throw CKError(.assetFileNotFound, "The file \(path) of an asset is not a regular file.")
            }
            return (descriptor, size, version)
        }
    }

    /// Computes the checksum of the whole file.
    ///
    /// - Throws: ``CKError/Code/assetFileModified`` if the file became shorter.
    func checksum() async throws(CKError) -> String {
        var digest = ContentDigest()
        var offset: Int64 = 0
        while offset < size {
            let chunk = try await chunk(at: offset)
            offset += Int64(chunk.readableBytes)
            digest.update(chunk)
        }
        return digest.fileChecksum
    }

    /// Reads bytes at an offset, at least one.
    ///
    /// - Throws: ``CKError/Code/assetFileModified`` if the file became shorter.
    func chunk(at offset: Int64) async throws(CKError) -> ByteBuffer {
        try await offThread { () throws(CKError) in
            let count = Int(min(Int64(Self.chunkBytes), self.size - offset))
            var buffer = ByteBufferAllocator().buffer(capacity: count)
            while true {
                var failure: Int32 = 0
                let got = buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: count) { bytes in
                    let got = pread(self.descriptor, bytes.baseAddress, count, off_t(offset))
                    failure = got < 0 ? errno : 0
                    return max(0, got)
                }
                if got > 0 { return buffer }
                if failure == 0 { throw self.modified }
                if failure != EINTR {
                    throw CKError(
                        .assetFileNotFound, "The file \(self.path) of an asset cannot be read.",
                        underlying: POSIXError.last)
                }
            }
        }
    }

    /// Checks that the file at the path is still the one that was opened, and has not been changed.
    ///
    /// - Throws: ``CKError/Code/assetFileModified``.
    func checkUnchanged() throws(CKError) { if FileVersion(of: path) != version { throw modified } }

    /// The error of a file that was changed.
    var modified: CKError {
        CKError(
            .assetFileModified, "The file \(path) of an asset changed while it was uploaded. Save the record again.")
    }
}

/// Runs work that blocks on a thread that no task needs.
func offThread<Value: Sendable>(_ work: @escaping @Sendable () throws(CKError) -> Value) async throws(CKError) -> Value
{
    let result: Result<Value, CKError>
    do {
        result = try await NIOThreadPool.singleton.runIfActive { Result { () throws(CKError) in try work() } }
    } catch {
        throw CKError(.operationCancelled, "The operation was cancelled.")
    }
    return try result.get()
}

/// The bytes of a file from an offset, in order.
struct AssetSourceChunks: AsyncSequence, Sendable {
    typealias Element = ByteBuffer

    let file: AssetSourceFile
    var offset: Int64
    /// Called with the offset up to which the file has been read.
    let progress: @Sendable (Int64) -> Void

    func makeAsyncIterator() -> Iterator { Iterator(chunks: self) }

    struct Iterator: AsyncIteratorProtocol {
        var chunks: AssetSourceChunks

        mutating func next() async throws -> ByteBuffer? {
            guard chunks.offset < chunks.file.size else { return nil }
            let chunk = try await chunks.file.chunk(at: chunks.offset)
            chunks.offset += Int64(chunk.readableBytes)
            chunks.progress(chunks.offset)
            return chunk
        }
    }
}
