package import Foundation
internal import NIOCore
internal import NIOHTTP1

extension S3BlobStore {
    private var identityPath: String { "\(configuration.prefix)store-id" }

    package func mark() async throws(BlobStoreError) -> StoreMark? {
        guard let answer = try await found(S3Request(method: .GET, key: identityPath)) else { return nil }
        guard let mark = StoreMark(String(buffer: answer.body)) else {
            throw BlobStoreError("S3: '\(identityPath)' does not contain an id")
        }
        return mark
    }

    package func setMark(_ mark: StoreMark) async throws(BlobStoreError) {
        try await put(identityPath, ByteBuffer(string: mark.text))
    }

    /// Creates the object only if it does not exist (`If-None-Match`). Servers that do not support this header reject
    /// the request or ignore the header. The object is therefore read both before and after the write. With such a
    /// server, two services that start for the first time at the same moment could both succeed.
    package func identify(as id: UUID) async throws(BlobStoreError) {
        if try await identity() == nil {
            var request = S3Request(method: .PUT, key: identityPath)
            request.headers = Self.contentType + [("if-none-match", "*")]
            request.body = ByteBuffer(string: StoreMark(id: id).text)
            do throws(S3Failure) {
                _ = try await client.send(request)
            } catch {
                switch error.status {
                case 409, 412: break  // Another instance got there first.
                case 400, 501:
                    request.headers = Self.contentType
                    _ = try await send(request)
                default: throw BlobStoreError(error)
                }
            }
        }
        guard try await identity() == id else {
            throw BlobStoreError("S3: '\(identityPath)' contains the id of another store")
        }
    }
}
