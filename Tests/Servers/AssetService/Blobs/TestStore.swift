import AssetTestSupport
import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import ServiceMessages
import ServiceRuntime
import TestSupport

@testable import AssetService
@testable import BlobStorage

/// A store for one test, of any kind.
struct TestStore: Sendable {
    /// The implementations of ``BlobStore``.
    enum Kind: String, CaseIterable, Sendable {
        case directory
        case s3

        /// The kinds that are available in this run.
        static var available: [Kind] { TestS3.current == nil ? [.directory] : allCases }
    }

    let store: any BlobStore
    /// Returns the names of the files or objects of unfinished uploads.
    let incoming: @Sendable () async throws -> [String]
    /// Creates the files or objects that a killed process would leave behind.
    let leaveAbandoned: @Sendable () async throws -> Void
    /// Adds an object that is not a blob to the blobs.
    let addStranger: @Sendable () async throws -> Void

    /// Passes an empty store to `body`, and removes it afterwards.
    static func with(_ kind: Kind, _ body: (TestStore) async throws -> Void) async throws {
        switch kind {
        case .directory:
            try await DirectoryBlobStore.withTemporary { store, root in
                try await body(
                    TestStore(
                        store: store, incoming: { try TestBlob.names("\(root)/incoming") },
                        leaveAbandoned: {
                            // No process holds the lock of this file.
                            try Data("half".utf8).write(to: URL(fileURLWithPath: "\(root)/incoming/\(UUID())"))
                        },
                        addStranger: {
                            try FileManager.default.createDirectory(
                                atPath: "\(root)/blobs/a/ab", withIntermediateDirectories: true)
                            try Data().write(to: URL(fileURLWithPath: "\(root)/blobs/a/ab/README"))
                        }))
            }
        case .s3:
            try await TestBucket.with { bucket in
                try await body(
                    TestStore(
                        store: bucket.store, incoming: { try await bucket.incoming() },
                        leaveAbandoned: {
                            // An upload that began long ago and has no part. (The test server reports an early time for
                            // all uploads.)
                            _ = try await bucket.store.begin("\(bucket.store.incoming)\(UUID())")
                        },
                        addStranger: {
                            try await bucket.store.put("\(bucket.store.blobs)a/ab/README", ByteBuffer())
                        }))
            }
        }
    }
}

/// A bucket for one test on the S3 server of this run.
struct TestBucket: Sendable {
    let store: S3BlobStore

    static func configuration(_ bucket: String, _ server: TestS3) -> S3Configuration {
        S3Configuration(
            bucket: bucket, region: "us-east-1", endpoint: server.url, isPathStyle: true, prefix: "some/prefix",
            accessKey: server.accessKey, secretKey: Secret(server.secretKey),
            partBytes: S3Configuration.minPartBytes)
    }

    /// Creates a bucket, passes it to `body`, and deletes it with its contents.
    static func with(_ body: (TestBucket) async throws -> Void) async throws {
        let server = try TestS3.required()
        let name = TestEnvironment.uniqueName("assets").replacing("_", with: "-")
        try await HTTPClient.withHTTPClient(configuration: S3Client.connections) { http in
            let bucket = TestBucket(store: S3BlobStore(configuration(name, server), http: http))
            _ = try await bucket.store.send(S3Request(method: .PUT))
            do {
                try await body(bucket)
            } catch {
                try? await bucket.remove()
                throw error
            }
            try await bucket.remove()
        }
    }

    /// The bucket's name.
    var name: String { store.configuration.bucket }

    /// Returns the objects below a path.
    func objects(_ prefix: String) async throws -> [String] {
        let request = S3Request(
            method: .GET, query: [("list-type", "2"), ("prefix", prefix)], maxAnswerBytes: 8 << 20,
            isAnsweredByDocument: true)
        return try await store.send(request).document?.all("Contents").compactMap { $0["Key"] } ?? []
    }

    /// Returns the incoming objects and the unfinished multipart uploads.
    func incoming() async throws -> [String] {
        let request = S3Request(method: .GET, query: [("uploads", "")], isAnsweredByDocument: true)
        let uploads = try await store.send(request).document?.all("Upload").compactMap { $0["Key"] } ?? []
        return try await uploads + objects(store.incoming)
    }

    private func remove() async throws {
        var store = store
        store.abandonedAge = .seconds(-3600)
        _ = try await store.removeAbandonedUploads()
        while case let objects = try await objects(""), !objects.isEmpty {
            try await withThrowingTaskGroup { group in
                for worker in 0..<8 {
                    group.addTask { [store] in
                        for index in stride(from: worker, to: objects.count, by: 8) {
                            try await store.remove(objects[index])
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
        _ = try await store.send(S3Request(method: .DELETE))
    }
}
