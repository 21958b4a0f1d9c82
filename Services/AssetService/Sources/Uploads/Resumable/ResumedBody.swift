internal import AssetStorage
internal import BlobStorage
internal import CloudKitModel
internal import HTTPTypes
internal import ServiceMessages

/// The body of a request that continues an upload. If its digest does not match, its bytes are removed, but the bytes
/// of earlier requests are kept.
struct ResumedBody: UploadSource {
    var body: UploadBody
    let partial: any PartialUpload

    mutating func read(into incoming: inout IncomingAsset) async throws {
        do {
            try await body.read(into: &incoming)
        } catch let error as ServerError where error.reasonCode == ReasonCode.checksumMismatch.rawValue {
            guard partial.resumedBytes > 0 else { throw error }
            try await partial.rewind()
            throw UploadInterruption(reason: error)
        }
    }
}

/// The error thrown if a request's offset differs from the offset of its upload.
struct UploadConflict: Error {
    let error = ServerError.uploadOffsetMismatch()
    /// The headers of the response, which contain the upload's offset.
    let fields: HTTPFields

    init(_ fields: HTTPFields) { self.fields = fields }
}

/// The content of an upload that has ended, as recorded in its note in the store.
struct EndedUpload {
    let content: AssetContent

    init(content: AssetContent) { self.content = content }

    /// Parses a ``note``; nil if it is malformed.
    init?(_ note: String) {
        let parts = note.split(separator: " ")
        guard parts.count == 2, let checksum = AssetChecksum(String(parts[0])), let size = Int64(parts[1]) else {
            return nil
        }
        content = AssetContent(checksum: checksum, size: size)
    }

    var note: String { "\(content.checksum.hex) \(content.size)" }
}
