internal import Glibc
internal import NIOCore

/// A file of the cache that is being downloaded. It has a name of its own until it is complete.
final class AssetDraft: Sendable {
    private let path: String
    private let descriptor: Int32

    /// Creates a file, and its folder if there is none. Only their owner can read them.
    ///
    /// - Throws: ``CKError/Code/assetNotAvailable``, for example if the disk is full.
    init(in folder: String, name: String) async throws(CKError) {
        path = "\(folder)/\(name).\(UUID().uuidString)"
        descriptor = try await Self.create(path, in: folder)
    }

    deinit { close(descriptor) }

    private static func create(_ path: String, in folder: String) async throws(CKError) -> Int32 {
        try await offThread { () throws(CKError) in
            do {
                try FileManager.default.createDirectory(
                    atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            } catch {
                throw failure(path, error)
            }
            let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else { throw failure(path, POSIXError.last) }
            return descriptor
        }
    }

    /// Writes bytes at an offset.
    ///
    /// - Throws: ``CKError/Code/assetNotAvailable``, for example if the disk is full.
    func write(_ buffer: ByteBuffer, at offset: Int64) async throws(CKError) {
        try await offThread { () throws(CKError) in
            var offset = offset
            var rest = buffer
            while rest.readableBytes > 0 {
                let written = rest.withUnsafeReadableBytes {
                    pwrite(self.descriptor, $0.baseAddress, $0.count, off_t(offset))
                }
                if written < 0, errno == EINTR { continue }
                guard written > 0 else { throw Self.failure(self.path, POSIXError.last) }
                rest.moveReaderIndex(forwardBy: written)
                offset += Int64(written)
            }
        }
    }

    /// Gives the complete file its name.
    ///
    /// - Throws: ``CKError/Code/assetNotAvailable``.
    func finish(as name: String) async throws(CKError) {
        try await offThread { () throws(CKError) in
            guard rename(self.path, name) == 0 else { throw Self.failure(name, POSIXError.last) }
        }
    }

    /// Removes the file.
    func discard() async { _ = try? await offThread { () throws(CKError) in unlink(self.path) } }

    private static func failure(_ path: String, _ error: any Error) -> CKError {
        CKError(
            .assetNotAvailable,
            "The copy \(path) of an asset cannot be written. Free space, and fetch the record again.",
            underlying: error)
    }
}
