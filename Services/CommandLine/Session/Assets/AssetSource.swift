package import AsyncHTTPClient
import NIOCore
package import ServiceMessages

/// The bytes of an upload.
package protocol AssetSource: Sendable {
    /// The number of bytes.
    var size: Int64 { get }
    /// The checksum of the bytes. The service must confirm it.
    var checksum: AssetChecksum { get }

    /// Returns the bytes starting at `offset`. This method is called again when an interrupted upload is resumed or
    /// repeated.
    ///
    /// - Parameter progress: called with the number of bytes read so far, including those before `offset`.
    func body(from offset: Int64, progress: @escaping @Sendable (Int64) -> Void) -> HTTPClientRequest.Body
}

/// Bytes in memory.
package struct AssetBytes: AssetSource {
    /// The bytes.
    package let bytes: [UInt8]
    package let checksum: AssetChecksum

    /// Creates a source of `bytes` and computes their checksum.
    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
        checksum = AssetDigest.checksum(of: bytes)
    }

    package var size: Int64 { Int64(bytes.count) }

    package func body(from offset: Int64, progress: @escaping @Sendable (Int64) -> Void) -> HTTPClientRequest.Body {
        .bytes(ByteBuffer(bytes: bytes.dropFirst(Int(offset))))
    }
}

/// A file that is read while it is being sent.
package struct AssetFile: AssetSource {
    /// The file.
    package let file: LocalFile
    package let checksum: AssetChecksum

    /// Reads the whole file to compute its checksum.
    ///
    /// - Throws: `.local`.
    package init(_ file: LocalFile) async throws(RequestFailure) {
        self.file = file
        var digest = AssetDigest()
        try await file.read { digest.update($0) }
        checksum = digest.checksum
    }

    /// Reads the whole file into memory, for small files.
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
