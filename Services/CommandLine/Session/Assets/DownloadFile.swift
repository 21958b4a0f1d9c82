import Dispatch
import Glibc
package import NIOCore

/// The destination of a download: standard output or `FILE.part`, which is renamed to `FILE` after its checksum has
/// been verified. A separate queue performs the blocking writes.
package final class DownloadFile: Sendable {
    /// The path as given; `-` for standard output.
    package let path: String
    private let descriptor: Int32
    private let queue = DispatchQueue(label: "zonda.asset.write")

    private var isOutput: Bool { path == "-" }
    private var partPath: String { path + ".part" }

    /// Creates `<path>.part`, or opens the file of an interrupted download.
    ///
    /// - Throws: `.local(.file)`, for example if another process is writing to the file.
    package init(path: String) throws(RequestFailure) {
        self.path = path
        descriptor = path == "-" ? dup(STDOUT_FILENO) : open(path + ".part", O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw .file("cannot write '\(path).part'", errno) }
        if path != "-", flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            throw .local(.file, reason: "another process is writing to '\(path).part'")
        }
    }

    /// Hashes the bytes of the partial file. A file that is larger than `size` bytes belongs to different content and
    /// is truncated to zero bytes.
    ///
    /// - Returns: the number of bytes in the file and their digest. Later bytes are appended to the file.
    /// - Throws: `.local(.file)`.
    package func resume(_ size: Int64) async throws(RequestFailure) -> (count: Int64, digest: AssetDigest) {
        guard !isOutput else { return (0, AssetDigest()) }
        let result: Result<(Int64, AssetDigest), RequestFailure> = await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: self.readPart(size)) }
        }
        return try result.get()
    }

    /// Truncates the file to zero bytes.
    ///
    /// - Throws: `.local(.file)`.
    package func restart() async throws(RequestFailure) {
        try await blocking {
            ftruncate(self.descriptor, 0) == 0 && lseek(self.descriptor, 0, SEEK_SET) == 0 ? 0 : errno
        }
    }

    private func readPart(_ size: Int64) -> Result<(Int64, AssetDigest), RequestFailure> {
        var (count, digest) = (Int64(0), AssetDigest())
        while true {
            var buffer = ByteBuffer()
            var error: Int32 = 0
            let got = buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: 1 << 18) { bytes in
                let got = pread(descriptor, bytes.baseAddress, 1 << 18, off_t(count))
                error = got < 0 ? errno : 0
                return max(0, got)
            }
            if error == EINTR { continue }
            guard error == 0 else { return .failure(.file("cannot read '\(partPath)'", error)) }
            guard got > 0 else { break }
            count += Int64(got)
            digest.update(buffer)
            guard count <= size else {
                (count, digest) = (0, AssetDigest())
                if ftruncate(descriptor, 0) != 0 { return .failure(.file("cannot write '\(partPath)'", errno)) }
                break
            }
        }
        lseek(descriptor, off_t(count), SEEK_SET)
        return .success((count, digest))
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Appends bytes.
    ///
    /// - Throws: `.local(.file)`.
    package func append(_ buffer: ByteBuffer) async throws(RequestFailure) {
        try await blocking { buffer.withUnsafeReadableBytes { self.write($0) } }
    }

    /// Synchronizes the file to disk and renames it.
    ///
    /// - Throws: `.local(.file)`.
    package func finish() async throws(RequestFailure) {
        guard !isOutput else { return }
        try await blocking {
            fsync(self.descriptor) == 0 && rename(self.partPath, self.path) == 0 ? 0 : errno
        }
    }

    /// Removes `<path>.part`.
    package func discard() {
        if !isOutput { unlink(partPath) }
    }

    /// Runs `work` on the queue. `work` returns an `errno`, or 0 for success.
    private func blocking(_ work: @escaping @Sendable () -> Int32) async throws(RequestFailure) {
        let error = await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: work()) }
        }
        if error != 0 { throw .file("cannot write '\(isOutput ? path : partPath)'", error) }
    }

    private func write(_ bytes: UnsafeRawBufferPointer) -> Int32 {
        var rest = bytes
        while rest.count > 0 {
            let written = Glibc.write(descriptor, rest.baseAddress, rest.count)
            if written < 0, errno == EINTR { continue }
            guard written > 0 else { return errno }
            rest = UnsafeRawBufferPointer(rebasing: rest[written...])
        }
        return 0
    }
}
