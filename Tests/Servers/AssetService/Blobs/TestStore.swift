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

/// A store of its own for a test, of each kind that there is.
struct TestStore: Sendable {
    /// The implementations of ``BlobStore``.
    enum Kind: String, CaseIterable, Sendable {
        case directory
        case s3

        /// Those that this run can try.
        static var available: [Kind] { TestS3.current == nil ? [.directory] : allCases }
    }

    let store: any BlobStore
    /// What uploads that have not ended keep, by name.
    let incoming: @Sendable () async throws -> [String]
    /// Leaves behind what a killed process would.
    let leaveAbandoned: @Sendable () async throws -> Void
    /// Puts something that is no blob among the blobs.
    let addStranger: @Sendable () async throws -> Void

    /// Lends an empty store and removes it.
    static func with(_ kind: Kind, _ body: (TestStore) async throws -> Void) async throws {
        switch kind {
        case .directory:
            try await DirectoryBlobStore.withTemporary { store, root in
                try await body(
                    TestStore(
                        store: store, incoming: { try TestBlob.names("\(root)/incoming") },
                        leaveAbandoned: {
                            // Its lock is free.
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
                            // Begun long ago (the test server says so of all), and without a part.
                            _ = try await bucket.store.begin("\(bucket.store.incoming)\(UUID())")
                        },
                        addStranger: {
                            try await bucket.store.put("\(bucket.store.blobs)a/ab/README", ByteBuffer())
                        }))
            }
        }
    }
}

/// A bucket of its own on the run's S3 server.
struct TestBucket: Sendable {
    let store: S3BlobStore

    static func configuration(_ bucket: String, _ server: TestS3) -> S3Configuration {
        S3Configuration(
            bucket: bucket, region: "us-east-1", endpoint: server.url, isPathStyle: true, prefix: "some/prefix",
            accessKey: server.accessKey, secretKey: Secret(server.secretKey),
            partBytes: S3Configuration.minPartBytes)
    }

    /// Makes a bucket, lends it and removes it with everything in it.
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

    /// The objects below a path.
    func objects(_ prefix: String) async throws -> [String] {
        let request = S3Request(
            method: .GET, query: [("list-type", "2"), ("prefix", prefix)], maxAnswerBytes: 8 << 20,
            isAnsweredByDocument: true)
        return try await store.send(request).document?.all("Contents").compactMap { $0["Key"] } ?? []
    }

    /// Objects and uploads in parts that have not ended.
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
