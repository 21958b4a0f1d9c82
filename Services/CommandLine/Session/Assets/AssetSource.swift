package import AsyncHTTPClient
import NIOCore
package import ServiceMessages

/// Bytes that are uploaded.
package protocol AssetSource: Sendable {
    /// How many they are.
    var size: Int64 { get }
    /// Their checksum, which the service must find too.
    var checksum: AssetChecksum { get }

    /// The bytes from `offset` on, as often as they are asked for: an upload that was cut off goes on or is repeated.
    ///
    /// - Parameter progress: is told how many bytes of all have been taken.
    func body(from offset: Int64, progress: @escaping @Sendable (Int64) -> Void) -> HTTPClientRequest.Body
}

/// Bytes in memory.
package struct AssetBytes: AssetSource {
    /// The bytes.
    package let bytes: [UInt8]
    package let checksum: AssetChecksum

    /// These bytes; hashes them.
    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
        checksum = AssetDigest.checksum(of: bytes)
    }

    package var size: Int64 { Int64(bytes.count) }

    package func body(from offset: Int64, progress: @escaping @Sendable (Int64) -> Void) -> HTTPClientRequest.Body {
        .bytes(ByteBuffer(bytes: bytes.dropFirst(Int(offset))))
    }
}

/// A file, read while it is sent and never whole in memory.
package struct AssetFile: AssetSource {
    /// The file.
    package let file: LocalFile
    package let checksum: AssetChecksum

    /// Reads the whole file once for its checksum.
    ///
    /// - Throws: `.local`.
    package init(_ file: LocalFile) async throws(RequestFailure) {
        self.file = file
        var digest = AssetDigest()
        try await file.read { digest.update($0) }
        checksum = digest.checksum
    }

    /// The whole file: for small ones.
    ///
    /// - Throws: `.local`.
    package func bytes() async throws(RequestFailure) -> [UInt8] {
        var bytes: [UInt8] = []
        try await file.read { bytes += $0.readableBytesView }
        return bytes
    }

    package var size: Int64 { file.size }

    package func body(from offset: Int64, progress: @escaping @Sendable (Int64) -> Void) -> HTTPClientRequest.Body {
        .stream(
            FileChunks(file: file, offset: offset, progress: progress), length: .known(max(0, file.size - offset)))
    }
}
