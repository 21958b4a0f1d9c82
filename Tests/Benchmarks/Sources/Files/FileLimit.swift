internal import Crypto
internal import Foundation
internal import Glibc

/// The limit of a bare program that writes or serves a file. Every call blocks.
package enum FileLimit {
    /// The fastest size, because a limit must be an upper bound. With 256 KiB, as in the asset service, TCP reached
    /// half the rate on a machine where two such buffers fill a core's cache.
    private static let chunkBytes = 64 * 1024

    /// Hashes the file's bytes, writes them to a new file in `folder` and synchronizes it to the disk. Removes the new
    /// file.
    ///
    /// The bytes are read into memory before the measurement, because reading them is the client's work.
    ///
    /// - Throws: ``LimitFailure``.
    package static func write(_ path: String, into folder: String) throws -> Throughput {
        var bytes: [UInt8] = []
        _ = try Descriptor.opening(path, O_RDONLY).readToEnd(by: chunkBytes) { bytes += $0 }
        let copy = "\(folder)/limits.\(UUID().uuidString.lowercased())"
        let target = try Descriptor.opening(copy, O_WRONLY | O_CREAT | O_EXCL)
        defer { unlink(copy) }
        let start = ContinuousClock.now
        var hash = SHA256()
        try bytes.withUnsafeBytes { bytes in
            for offset in stride(from: 0, to: bytes.count, by: chunkBytes) {
                let piece = UnsafeRawBufferPointer(rebasing: bytes[offset...].prefix(chunkBytes))
                hash.update(bufferPointer: piece)
                try target.write(piece)
            }
        }
        _ = hash.finalize()
        try target.synchronizeData()
        return Throughput(count: bytes.count, elapsed: start.duration(to: .now))
    }

    /// Sends the file over a TCP connection on this machine and receives it.
    ///
    /// - Throws: ``LimitFailure``, including when not all bytes arrived.
    package static func serve(_ path: String) throws -> Throughput {
        let source = try Descriptor.opening(path, O_RDONLY)
        let size = try source.size()
        let listener = try LoopbackListener()
        let start = ContinuousClock.now
        let client = try listener.connect()
        let server = try listener.accept()
        let sender = Thread { [server] in
            // A failure here closes the connection, so too few bytes arrive.
            _ = try? source.readToEnd(by: chunkBytes) { piece throws(LimitFailure) in try server.write(piece) }
            server.end()
        }
        sender.start()
        let count = try client.readToEnd(by: chunkBytes) { _ in }
        let elapsed = start.duration(to: .now)
        guard count == size else { throw LimitFailure("of \(size) bytes only \(count) came") }
        return Throughput(count: count, elapsed: elapsed)
    }
}
