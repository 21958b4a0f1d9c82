internal import AsyncHTTPClient
internal import NIOCore
internal import NIOHTTP1

/// A store in a bucket. Under the configured prefix, a blob is the object `blobs/<key>`. While the parts of a large
/// blob are being received, it is `incoming/<seconds>-<uuid>`.
///
/// An object becomes visible only when it is complete, and no key is written twice. There are no locks: an upload is
/// treated as abandoned if its last step was long ago according to the server's clock.
package struct S3BlobStore: BlobStore {
    /// An upload is treated as abandoned once its last part is this old. An upload that continues later fails
    /// harmlessly.
    static let abandonedAge = Duration.seconds(86_400)

    var client: S3Client
    let configuration: S3Configuration
    var abandonedAge = Self.abandonedAge
    /// The maximum size, in bytes, of an object or part that S3 copies in one request.
    var maxCopyBytes: Int64 = 5 << 30

    /// Creates a store in the configured bucket.
    init(_ configuration: S3Configuration, http: HTTPClient) {
        self.configuration = configuration
        client = S3Client(configuration, http: http)
    }

    /// Calls `body` with a store, and closes its connections afterwards.
    ///
    /// - Throws: any error that `body` throws, or ``BlobStoreError`` if writing to the store fails. If the server
    ///   cannot be reached, the error is thrown after a minute.
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

    /// The prefix of blobs.
    var blobs: String { "\(configuration.prefix)blobs/" }
    /// The prefix of uploads in progress.
    var incoming: String { "\(configuration.prefix)incoming/" }
    /// The prefix of the trash.
    var trash: String { "\(configuration.prefix)trash/" }
    /// The path of a blob's object.
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

    /// Writes a small object, always under the same path.
    private func writeProbe() async throws(BlobStoreError) {
        try await put("\(configuration.prefix)check", ByteBuffer(bytes: [0]))
    }
}

/// Operations on single objects, identified by their complete paths.
extension S3BlobStore {
    /// The content type of all objects.
    static let contentType: [(name: String, value: String)] = [("content-type", "application/octet-stream")]

    /// Returns the size and version of an object; nil if the object or the bucket does not exist. A `HEAD` request does
    /// not distinguish the two cases.
    func head(_ path: String) async throws(BlobStoreError) -> (size: Int64, eTag: String)? {
        guard let answer = try await found(S3Request(method: .HEAD, key: path)) else { return nil }
        guard let size = answer.headers.first(name: "content-length").flatMap({ Int64($0) }),
            let eTag = answer.headers.first(name: "etag")
        else { throw BlobStoreError("S3: HEAD \(path): the response lacks a length or an ETag") }
        return (size, eTag)
    }

    /// Writes an object in one request.
    func put(_ path: String, _ body: ByteBuffer) async throws(BlobStoreError) {
        _ = try await send(S3Request(method: .PUT, key: path, headers: Self.contentType, body: body))
    }

    /// Removes an object if it exists.
    func remove(_ path: String) async throws(BlobStoreError) {
        _ = try await found(S3Request(method: .DELETE, key: path))
    }

    /// Sends a request.
    func send(_ request: S3Request) async throws(BlobStoreError) -> S3Answer {
        do {
            return try await client.send(request)
        } catch {
            throw BlobStoreError(error)
        }
    }

    /// Sends a request for an object. Returns nil if the object does not exist.
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
