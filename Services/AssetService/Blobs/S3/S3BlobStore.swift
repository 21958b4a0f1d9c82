internal import AsyncHTTPClient
internal import NIOCore
internal import NIOHTTP1

/// Blobs as objects of a bucket: `blobs/<key>`, and `incoming/<seconds>-<uuid>` while the parts of a large one are received, all
/// below the configured prefix.
///
/// S3 shows an object when all of it is stored, to everybody at once, and nothing here writes the same key twice. There
/// is no lock: what is under way is told from what was left behind by the time of its last step, on the server's clock.
package struct S3BlobStore: BlobStore {
    /// So long after its last part nobody goes on with an upload. One that did would fail, without harm.
    static let abandonedAge = Duration.seconds(86_400)

    var client: S3Client
    let configuration: S3Configuration
    var abandonedAge = Self.abandonedAge
    /// The largest object that S3 copies at once, and the largest part that is copied, bytes.
    var maxCopyBytes: Int64 = 5 << 30

    /// Blobs in that bucket.
    init(_ configuration: S3Configuration, http: HTTPClient) {
        self.configuration = configuration
        client = S3Client(configuration, http: http)
    }

    /// Lends a store and closes its connections afterwards.
    ///
    /// - Throws: what `body` throws; ``BlobStoreError`` when it cannot be written, at once or, when the server cannot be
    ///   reached, after a minute.
    package static func with<Result>(
        _ configuration: S3Configuration, _ body: (S3BlobStore) async throws -> Result
    ) async throws -> Result {
        try await HTTPClient.withHTTPClient(configuration: S3Client.connections) { http in
            let store = S3BlobStore(configuration, http: http)
            var patient = store
            patient.client.retries = .starting
            try await patient.writeProbe()
            return try await body(store)
        }
    }

    /// The objects of blobs.
    var blobs: String { "\(configuration.prefix)blobs/" }
    /// The objects of uploads under way.
    var incoming: String { "\(configuration.prefix)incoming/" }
    /// The objects that were put away.
    var trash: String { "\(configuration.prefix)trash/" }
    /// Where a blob's object is.
    func path(of key: BlobKey) -> String { "\(blobs)\(key)" }

    package func makeUpload() async throws(BlobStoreError) -> any BlobUpload { S3Upload(to: self) }

    package func size(of key: BlobKey) async throws(BlobStoreError) -> Int64? {
        try await head(path(of: key))?.size
    }

    package func open(_ key: BlobKey) async throws(BlobStoreError) -> (any BlobReader)? {
        guard let (size, eTag) = try await head(path(of: key)) else { return nil }
        return S3Reader(client: client, path: path(of: key), size: size, eTag: eTag)
    }

    package func remove(_ key: BlobKey) async throws(BlobStoreError) { try await remove(path(of: key)) }

    package func check() async throws(BlobStoreError) {
        var once = self
        once.client.retries = .none
        try await once.writeProbe()
    }

    /// Writes an object that nobody reads, always the same one.
    private func writeProbe() async throws(BlobStoreError) {
        try await put("\(configuration.prefix)check", ByteBuffer(bytes: [0]))
    }
}

/// Single objects, by their whole paths.
extension S3BlobStore {
    /// Whatever is stored is bytes.
    static let contentType: [(name: String, value: String)] = [("content-type", "application/octet-stream")]

    /// Size and version of an object; nil when there is none, or no bucket, which `HEAD` does not tell apart.
    func head(_ path: String) async throws(BlobStoreError) -> (size: Int64, eTag: String)? {
        guard let answer = try await found(S3Request(method: .HEAD, key: path)) else { return nil }
        guard let size = answer.headers.first(name: "content-length").flatMap({ Int64($0) }),
            let eTag = answer.headers.first(name: "etag")
        else { throw BlobStoreError("S3: HEAD \(path): the answer has no length or no ETag") }
        return (size, eTag)
    }

    /// Writes an object as a whole.
    func put(_ path: String, _ body: ByteBuffer) async throws(BlobStoreError) {
        _ = try await send(S3Request(method: .PUT, key: path, headers: Self.contentType, body: body))
    }

    /// Removes an object; nothing happens when there is none.
    func remove(_ path: String) async throws(BlobStoreError) {
        _ = try await found(S3Request(method: .DELETE, key: path))
    }

    /// The answer to a request.
    func send(_ request: S3Request) async throws(BlobStoreError) -> S3Answer {
        do {
            return try await client.send(request)
        } catch {
            throw BlobStoreError(error)
        }
    }

    /// The answer to a request for an object; nil when there is none.
    func found(_ request: S3Request) async throws(BlobStoreError) -> S3Answer? {
        do {
            return try await client.send(request)
        } catch {
            guard error.status == 404, error.code == nil || error.code == "NoSuchKey" else {
                throw BlobStoreError(error)
            }
            return nil
        }
    }
}
