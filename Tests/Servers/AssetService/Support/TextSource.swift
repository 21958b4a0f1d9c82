import AssetTestSupport
import NIOCore
import ServiceMessages

@testable import AssetService

/// A text as the bytes of an upload. With an error, the upload fails after the text.
struct TextSource: UploadSource {
    let bytes: ByteBuffer
    let failure: (any Error)?

    init(_ text: String) { (bytes, failure) = (ByteBuffer(string: text), nil) }

    init(_ bytes: ByteBuffer, failingWith failure: any Error) { (self.bytes, self.failure) = (bytes, failure) }

    func read(into incoming: inout IncomingAsset) async throws {
        try await incoming.append(bytes)
        if let failure { throw failure }
    }
}

extension AssetUploader {
    /// Uploads content without HTTP.
    func upload(
        _ source: TextSource, to scope: AssetScope, field: String = "file", patience: Duration = .seconds(5)
    ) async throws -> UploadedAsset {
        let usage = try await quotaUsage(of: scope, patience: patience)
        return try await upload(source, to: scope, within: usage, field: field, patience: patience)
    }
}
