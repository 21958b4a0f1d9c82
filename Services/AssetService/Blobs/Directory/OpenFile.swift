internal import CLinux
internal import Glibc
internal import NIOCore

/// An open file, which is closed when the last reference to it is released. Every call blocks and must be made on
/// ``BlobThreads``.
///
/// Only one upload or download uses a file at a time. If calls were concurrent, the kernel would serialize them.
final class OpenFile: Sendable {
    private let descriptor: Int32
    private let path: String

    /// Opens `path` with the flags of `open(2)`; returns nil if the file does not exist and `O_CREAT` is not set.
    init?(_ path: String, _ flags: Int32) throws(BlobStoreError) {
        let descriptor = open(path, flags | O_CLOEXEC, 0o640)
        if descriptor < 0, errno == ENOENT, flags & O_CREAT == 0 { return nil }
        guard descriptor >= 0 else { throw BlobStoreError(call: "open", path) }
        self.descriptor = descriptor
        self.path = path
    }

    deinit { close(descriptor) }

    /// Acquires the lock on the file. The lock is released when the process ends, if not earlier. Returns false if
    /// another process or request holds the lock.
    func lock() throws(BlobStoreError) -> Bool {
        if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return true }
        guard errno == EWOULDBLOCK else { throw BlobStoreError(call: "flock", path) }
        return false
    }

    /// Releases the lock, even if there are other references to the file.
    func unlock() { flock(descriptor, LOCK_UN) }

    /// Returns the size in bytes, and whether the file still has a name.
    func status() throws(BlobStoreError) -> (size: Int64, isLinked: Bool) {
        var (size, links) = (Int64(0), UInt64(0))
        guard zonda_file_status(descriptor, &size, &links) == 0 else { throw BlobStoreError(call: "fstat", path) }
        return (size, links > 0)
    }

    /// Writes all bytes at the current position.
    func write(_ buffer: ByteBuffer) throws(BlobStoreError) {
        var rest = buffer
        while rest.readableBytes > 0 {
            let count = rest.withUnsafeReadableBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw BlobStoreError(call: "write", path) }
            rest.moveReaderIndex(forwardBy: count)
        }
    }

    /// Reads `count` bytes from `offset`, or fewer at the end of the file.
    func read(at offset: Int64, count: Int) throws(BlobStoreError) -> ByteBuffer {
        var buffer = ByteBufferAllocator().buffer(capacity: count)
        while buffer.readableBytes < count {
            let (start, missing) = (offset + Int64(buffer.readableBytes), count - buffer.readableBytes)
            let got = buffer.withUnsafeMutableWritableBytes {
                pread(descriptor, $0.baseAddress, min($0.count, missing), off_t(start))
            }
            if got < 0, errno == EINTR { continue }
            guard got >= 0 else { throw BlobStoreError(call: "pread", path) }
            if got == 0 { break }
            buffer.moveWriterIndex(forwardBy: got)
        }
        return buffer
    }

    /// Waits until the bytes are on disk.
    func synchronizeData() throws(BlobStoreError) {
        guard fdatasync(descriptor) == 0 else { throw BlobStoreError(call: "fdatasync", path) }
    }

    /// Removes everything after the first `size` bytes.
    func truncate(to size: Int64) throws(BlobStoreError) {
        guard ftruncate(descriptor, off_t(size)) == 0 else { throw BlobStoreError(call: "ftruncate", path) }
    }

    /// Frees the file's space immediately. Otherwise, the space would be freed when the file is closed, possibly on
    /// another thread.
    func empty() { ftruncate(descriptor, 0) }

    /// Waits until the entries of a folder are on disk.
    static func synchronizeFolder(_ path: String) throws(BlobStoreError) {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw BlobStoreError(call: "open", path) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw BlobStoreError(call: "fsync", path) }
    }
}

extension BlobStoreError {
    /// Creates the error for a failed system call. Must be called before anything changes `errno`.
    init(call: String, _ path: String) {
        let code = errno
        self.init("\(call) '\(path)': \(String(cString: strerror(code)))", isFull: code == ENOSPC || code == EDQUOT)
    }
}
