internal import AssetStorage
internal import BlobStorage
internal import CloudKitModel
internal import CoreMetrics
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import RequestServing
internal import ServiceMessages
internal import ServiceRuntime
internal import SignedTokens

/// `GET` or `HEAD /download/<grant>/<any name>` (web-services 7.3): returns the bytes of an asset, or a range of them.
struct DownloadRoute: Sendable {
    /// The number of bytes to read at a time. They stay in memory until the client has received them.
    private static let chunkBytes = 256 * 1024
    /// How long a request waits while the database is unavailable, in milliseconds.
    private static let patience: Int64 = 30_000

    let keys: SigningKeys
    let store: any BlobStore
    let table: BlobTable
    let retry: DatabaseRetry
    let metrics: AssetMetrics

    func respond(
        to request: Request, grant: some StringProtocol, lastPart: some StringProtocol, on channel: any Channel
    ) async throws -> Response {
        guard let grant = AssetDownloadGrant(opening: grant, with: keys) else { throw ServerError.downloadURLInvalid() }
        let rest = grant.expiresAt - SystemClock.milliseconds()
        guard rest > 0 else { throw ServerError.downloadURLExpired() }
        let (blob, reader) = try await find(grant)
        let eTag = "\"\(grant.checksum.hex)\""
        var headers: HTTPFields = [
            .eTag: eTag, .acceptRanges: "bytes", .cacheControl: "private, max-age=\(rest / 1000)",
            .contentType: "application/octet-stream",
            .contentDisposition: ContentDisposition.attachment(lastPart: lastPart), .xContentTypeOptions: "nosniff",
            .contentSecurityPolicy: "sandbox",
        ]
        let bytes: Range<Int64>
        switch ByteSelection(request.headers, eTag: eTag, size: blob.size, allowsRange: request.method == .get) {
        case .notModified:
            headers[.contentLength] = String(blob.size)
            return Response(status: .notModified, headers: headers)
        case .unsatisfiable:
            headers[.contentRange] = "bytes */\(blob.size)"
            return Response(status: .rangeNotSatisfiable, headers: headers)
        case .all:
            bytes = 0..<blob.size
        case .part(let part):
            headers[.contentRange] = "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(blob.size)"
            bytes = part
        }
        headers[.contentLength] = String(bytes.count)
        let status: HTTPResponse.Status = headers[.contentRange] == nil ? .ok : .partialContent
        guard request.method == .get else { return Response(status: status, headers: headers) }
        metrics.downloads.increment()
        return Response(status: status, headers: headers, body: body(of: blob, reader, bytes, on: channel.eventLoop))
    }

    /// Returns a blob's row and its open file. If the content is deleted or its file is replaced before the file is
    /// opened, a second attempt reads the row again.
    private func find(_ grant: AssetDownloadGrant) async throws -> (StoredBlob, any BlobReader) {
        var missing: StoredBlob?
        for _ in 0..<2 {
            let blob = try await retry.run(deadline: SystemClock.milliseconds() + Self.patience) {
                try await table.find(grant.checksum, in: grant.scope.container)
            }
            guard let blob else { throw ServerError.assetNotFound(field: "url") }
            guard blob.damage == nil else { throw ServerError.assetDamaged() }
            if let reader = try await open(blob), reader.size == blob.size { return (blob, reader) }
            missing = blob
        }
        if let missing { await suspect(missing) }
        throw ServerError.assetNotAvailable()
    }

    /// Opens the blob's file. Returns nil if the file is missing or so damaged that it cannot be opened.
    private func open(_ blob: StoredBlob) async throws(BlobStoreError) -> (any BlobReader)? {
        do throws(BlobStoreError) {
            return try await store.open(blob.key)
        } catch {
            guard error.isDamage else { throw error }
            return nil
        }
    }

    /// Reads `count` bytes. Returns nil if they are missing or damaged.
    private func read(_ reader: any BlobReader, at offset: Int64, count: Int) async throws(BlobStoreError)
        -> ByteBuffer?
    {
        do throws(BlobStoreError) {
            let bytes = try await reader.read(at: offset, count: count)
            return bytes.readableBytes == count ? bytes : nil
        } catch {
            guard error.isDamage else { throw error }
            return nil
        }
    }

    /// Makes the scrub verify the blob next.
    private func suspect(_ blob: StoredBlob) async { try? await table.suspect(blob.id, blob.generation) }

    /// Returns a body that reads the next chunk only after the client has received most of the previous one.
    private func body(
        of blob: StoredBlob, _ reader: any BlobReader, _ bytes: Range<Int64>, on loop: any EventLoop
    ) -> ResponseBody {
        ResponseBody(contentLength: bytes.count) { [metrics] writer in
            var offset = bytes.lowerBound
            while offset < bytes.upperBound {
                let count = min(bytes.upperBound - offset, Int64(Self.chunkBytes))
                // Because the status has already been sent, the client can detect an incomplete response only if the
                // response is aborted.
                guard let chunk = try await read(reader, at: offset, count: Int(count)) else {
                    await suspect(blob)
                    throw ServerError.assetDamaged()
                }
                try await writer.write(chunk)
                // The connection's back pressure takes effect only after its event loop has seen the chunk. Without
                // this turn of the loop, many chunks would be queued (measured: 5 MB per download).
                try await loop.submit {}.get()
                metrics.downloadedBytes.increment(by: count)
                offset += count
            }
            try await writer.finish(nil)
        }
    }
}
