internal import Foundation
internal import NIOCore
internal import NIOHTTP1

/// Multipart uploads and copies.
extension S3BlobStore {
    /// The time limit for assembling or copying an object. Either can take a long time.
    private static let longLimit = Duration.seconds(600)

    /// Begins a multipart upload.
    ///
    /// - Returns: the id of the upload.
    func begin(_ path: String) async throws(BlobStoreError) -> String {
        var request = S3Request(method: .POST, key: path, query: [("uploads", "")], headers: Self.contentType)
        request.isAnsweredByDocument = true
        guard let id = try await send(request).document?["UploadId"], !id.isEmpty else {
            throw BlobStoreError("S3: \(request.name): the response contains no upload id")
        }
        return id
    }

    /// Sends a part. Part numbers start at 1.
    ///
    /// - Returns: the ETag of the part.
    func sendPart(
        _ bytes: ByteBuffer, number: Int, of upload: String, at path: String
    ) async throws(BlobStoreError) -> String {
        let request = S3Request(
            method: .PUT, key: path, query: [("partNumber", "\(number)"), ("uploadId", upload)], body: bytes)
        guard let eTag = try await send(request).headers.first(name: "etag") else {
            throw BlobStoreError("S3: \(request.name): the response contains no ETag")
        }
        return eTag
    }

    /// Assembles the parts into one object of `size` bytes.
    func complete(_ path: String, upload: String, parts: [String], size: Int64) async throws(BlobStoreError) {
        let list = parts.enumerated().map { number, eTag in
            "<Part><PartNumber>\(number + 1)</PartNumber><ETag>\(Self.escaped(eTag))</ETag></Part>"
        }.joined()
        var request = S3Request(method: .POST, key: path, query: [("uploadId", upload)])
        request.headers = [("content-type", "application/xml")]
        request.body = ByteBuffer(string: "<CompleteMultipartUpload>\(list)</CompleteMultipartUpload>")
        request.isAnsweredByDocument = true
        request.attemptLimit = Self.longLimit
        do throws(S3Failure) {
            _ = try await client.send(request)
        } catch {
            // An earlier attempt, whose response was lost, might have succeeded.
            guard error.attempts > 1, error.code == "NoSuchUpload", try await head(path)?.size == size else {
                throw BlobStoreError(error)
            }
        }
    }

    /// Copies an object within S3, in parts if it is too large for one request.
    func copy(_ source: String, to path: String, size: Int64) async throws(BlobStoreError) {
        guard size > maxCopyBytes else {
            _ = try await send(copying(source, to: path))
            return
        }
        let upload = try await begin(path)
        do throws(BlobStoreError) {
            var parts: [String] = []
            for start in stride(from: 0, to: size, by: Int64.Stride(maxCopyBytes)) {
                var request = copying(source, to: path)
                request.query = [("partNumber", "\(parts.count + 1)"), ("uploadId", upload)]
                let end = min(start + maxCopyBytes, size) - 1
                request.headers.append(("x-amz-copy-source-range", "bytes=\(start)-\(end)"))
                guard let eTag = try await send(request).document?["ETag"] else {
                    throw BlobStoreError("S3: \(request.name): the response contains no ETag")
                }
                parts.append(eTag)
            }
            try await complete(path, upload: upload, parts: parts, size: size)
        } catch {
            try? await abort(path, upload: upload)
            throw error
        }
    }

    private func copying(_ source: String, to path: String) -> S3Request {
        var request = S3Request(method: .PUT, key: path)
        let name = SigV4.encoded("\(configuration.bucket)/\(source)", keepingSlashes: true)
        request.headers = [("x-amz-copy-source", "/\(name)")]
        request.isAnsweredByDocument = true
        request.attemptLimit = Self.longLimit
        return request
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing("\"", with: "&quot;")
    }
}
