internal import CLinux
internal import Glibc
internal import NIOCore

/// An open file of this machine, closed with its last reference. Every call blocks: only for the thread pool.
///
/// One upload or download has it at a time; the kernel orders what several would do.
final class OpenFile: Sendable {
    private let descriptor: Int32
    private let path: String

    /// Opens `path` with the flags of `open(2)`; nil when it is not there and is not to be made.
    init?(_ path: String, _ flags: Int32) throws(BlobStoreError) {
        let descriptor = open(path, flags | O_CLOEXEC, 0o640)
        if descriptor < 0, errno == ENOENT, flags & O_CREAT == 0 { return nil }
        guard descriptor >= 0 else { throw BlobStoreError(call: "open", path) }
        self.descriptor = descriptor
        self.path = path
    }

    deinit { close(descriptor) }

    /// Takes the file's lock, which ends with the process at the latest; false when another holds it.
    func lock() throws(BlobStoreError) -> Bool {
        if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return true }
        guard errno == EWOULDBLOCK else { throw BlobStoreError(call: "flock", path) }
        return false
    }

    /// Gives the lock back, however many still have the file.
    func unlock() { flock(descriptor, LOCK_UN) }

    /// Size in bytes, and whether it still has a name.
    func status() throws(BlobStoreError) -> (size: Int64, isLinked: Bool) {
        var (size, links) = (Int64(0), UInt64(0))
        guard zonda_file_status(descriptor, &size, &links) == 0 else { throw BlobStoreError(call: "fstat", path) }
        return (size, links > 0)
    }

    /// Writes all of it at the file's position.
    func write(_ buffer: ByteBuffer) throws(BlobStoreError) {
        var rest = buffer
        while rest.readableBytes > 0 {
            let count = rest.withUnsafeReadableBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw BlobStoreError(call: "write", path) }
            rest.moveReaderIndex(forwardBy: count)
        }
    }

    /// Up to `count` bytes from `offset` on; fewer only at the end.
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

    /// Waits until the bytes are on the disk.
    func synchronizeData() throws(BlobStoreError) {
        guard fdatasync(descriptor) == 0 else { throw BlobStoreError(call: "fdatasync", path) }
    }

    /// Forgets what is behind its first `size` bytes.
    func truncate(to size: Int64) throws(BlobStoreError) {
        guard ftruncate(descriptor, off_t(size)) == 0 else { throw BlobStoreError(call: "ftruncate", path) }
    }

    /// Frees the file's space now rather than at the close, which may be on another thread.
    func empty() { ftruncate(descriptor, 0) }

    /// Waits until the names in a folder are on the disk.
    static func synchronizeFolder(_ path: String) throws(BlobStoreError) {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw BlobStoreError(call: "open", path) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw BlobStoreError(call: "fsync", path) }
    }
}

extension BlobStoreError {
    /// The failure of a system call; to be made at once, while `errno` is its.
    init(call: String, _ path: String) {
        let code = errno
        self.init("\(call) '\(path)': \(String(cString: strerror(code)))", isFull: code == ENOSPC || code == EDQUOT)
    }
}
