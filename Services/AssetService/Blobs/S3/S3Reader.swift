internal import NIOCore
internal import NIOHTTP1

/// Reads ranges of an object, all from the version of the object that was opened.
///
/// If reads are sequential, the reader fetches a larger range and keeps it in memory, because separate requests for a
/// quarter of a megabyte each would spend most of their time waiting for the network.
actor S3Reader: BlobReader {
    /// The size of a range that is read ahead, in bytes.
    static let aheadBytes = 1 << 20

    nonisolated let size: Int64
    private let client: S3Client
    private let path: String
    private let eTag: String
    private var ahead = ByteBuffer()
    private var aheadStart: Int64 = 0
    private var nextOffset: Int64 = -1

    init(client: S3Client, path: String, size: Int64, eTag: String) {
        self.client = client
        self.path = path
        self.size = size
        self.eTag = eTag
    }

    func read(at offset: Int64, count: Int) async throws(BlobStoreError) -> ByteBuffer {
        let count = Int(min(Int64(count), size - offset))
        guard count > 0, offset >= 0 else { return ByteBuffer() }
        defer { nextOffset = offset + Int64(count) }
        if let held = held(at: offset, count: count) { return held }
        let isNext = offset == nextOffset
        ahead = ByteBuffer()
        let length = isNext ? Int(min(Int64(max(count, Self.aheadBytes)), size - offset)) : count
        let bytes = try await fetch(offset, length)
        guard length > count else { return bytes }
        (ahead, aheadStart) = (bytes, offset)
        return bytes.getSlice(at: bytes.readerIndex, length: count) ?? ByteBuffer()
    }

    private func held(at offset: Int64, count: Int) -> ByteBuffer? {
        guard offset >= aheadStart, offset + Int64(count) <= aheadStart + Int64(ahead.readableBytes) else { return nil }
        return ahead.getSlice(at: ahead.readerIndex + Int(offset - aheadStart), length: count)
    }

    private func fetch(_ offset: Int64, _ count: Int) async throws(BlobStoreError) -> ByteBuffer {
        var request = S3Request(method: .GET, key: path)
        request.headers = [("range", "bytes=\(offset)-\(offset + Int64(count) - 1)"), ("if-match", eTag)]
        request.maxAnswerBytes = max(count, S3Request.smallAnswer)
        do throws(S3Failure) {
            let body = try await client.send(request).body
            guard body.readableBytes == count else {
                throw S3Failure(request: request.name, detail: "\(body.readableBytes) of \(count) bytes arrived")
            }
            return body
        } catch {
            throw BlobStoreError(error)
        }
    }
}
