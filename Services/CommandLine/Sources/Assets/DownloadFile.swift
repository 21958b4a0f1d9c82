import Dispatch
import Glibc
import NIOCore

/// Where what a command fetches goes: to `FILE.part`, which becomes `FILE` when all is there and right, or to standard output.
/// The blocking writes happen on a queue of their own.
final class DownloadFile: Sendable {
    /// As it was given; `-` is standard output.
    let path: String
    private let descriptor: Int32
    private let queue = DispatchQueue(label: "zonda.asset.write")

    private var isOutput: Bool { path == "-" }
    private var partPath: String { path + ".part" }

    /// Makes `<path>.part`, or empties it.
    ///
    /// - Throws: `.local(.file)`.
    init(path: String) throws(RequestFailure) {
        self.path = path
        descriptor =
            path == "-" ? dup(STDOUT_FILENO) : open(path + ".part", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw .file("cannot write '\(path).part'", errno) }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Appends bytes.
    ///
    /// - Throws: `.local(.file)`.
    func append(_ buffer: ByteBuffer) async throws(RequestFailure) {
        try await blocking { buffer.withUnsafeReadableBytes { self.write($0) } }
    }

    /// Gives the file its name, once its bytes are on the disk.
    ///
    /// - Throws: `.local(.file)`.
    func finish() async throws(RequestFailure) {
        guard !isOutput else { return }
        try await blocking {
            fsync(self.descriptor) == 0 && rename(self.partPath, self.path) == 0 ? 0 : errno
        }
    }

    /// Removes what was written to `<path>.part`.
    func discard() {
        if !isOutput { unlink(partPath) }
    }

    /// Runs `work`, which returns an `errno` or 0, on the queue.
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
