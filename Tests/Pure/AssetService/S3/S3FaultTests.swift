import AssetTestSupport
import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import ServiceRuntime
import Synchronization
import TestSupport
import Testing

@testable import AssetService
@testable import BlobStorage

/// The effects of a server that fails, or that is not the intended one.
@Suite(.timeLimit(.minutes(2)))
struct S3FaultTests {
    /// Passes to `body` a store at a server that sends the responses that `answer` returns. `answer` gets the number of
    /// earlier requests.
    ///
    /// - Parameter cuts: the number of requests during whose bodies the server disconnects.
    static func with(
        cuts: Int = 0, _ answer: @escaping @Sendable (FakeHTTPServer.Request, Int) -> FakeHTTPServer.Response,
        _ body: (S3BlobStore, _ requests: @Sendable () -> [FakeHTTPServer.Request]) async throws -> Void
    ) async throws {
        let log = RequestLog()
        let begun = Mutex(0)
        let server = FakeHTTPServer(
            takesBody: { _ in
                begun.withLock {
                    $0 += 1
                    return $0 > cuts
                }
            },
            { answer($0, log.add($0)) })
        defer { withExtendedLifetime(server) {} }
        try await HTTPClient.withHTTPClient(configuration: S3Client.connections) { http in
            var store = S3BlobStore(
                S3WireTests.configuration(endpoint: server.url, isPathStyle: true, prefix: "p"), http: http)
            store.client.retries.firstPause = .milliseconds(1)
            try await body(store) { log.all }
        }
    }

    private final class RequestLog: Sendable {
        private let requests = Mutex<[FakeHTTPServer.Request]>([])
        var all: [FakeHTTPServer.Request] { requests.withLock { $0 } }

        func add(_ request: FakeHTTPServer.Request) -> Int {
            requests.withLock {
                $0.append(request)
                return $0.count - 1
            }
        }
    }

    static func error(_ status: Int, _ code: String) -> FakeHTTPServer.Response {
        FakeHTTPServer.Response(
            status: status,
            body: Array(
                "<Error><Code>\(code)</Code><Message>hush</Message><RequestId>R1</RequestId></Error>".utf8))
    }

    @Test(arguments: [503, 500, 502, 504, 429])
    func whatPassesIsTriedAgain(status: Int) async throws {
        try await Self.with { _, number in
            number < 2 ? Self.error(status, "SlowDown") : FakeHTTPServer.Response()
        } _: { store, requests in
            let key = try await store.add(ByteBuffer(string: "bytes"))
            #expect(requests().map(\.method) == ["PUT", "PUT", "PUT"])
            #expect(requests().last?.path == "/blobs/p/blobs/\(key)")
            #expect(requests().last?.body == Array("bytes".utf8))
        }
    }

    @Test func whatDoesNotPassIsGivenUpAfterAWhile() async throws {
        try await Self.with { _, _ in
            Self.error(503, "SlowDown")
        } _: { store, requests in
            let error = await #expect(throws: BlobStoreError.self) { try await store.add(ByteBuffer(string: "x")) }
            #expect(requests().count == 5)
            #expect(error?.description.contains("returned 503 SlowDown, request R1, after 5 attempts") == true)
            // A caller that checks for readiness repeats the check anyway.
            await #expect(throws: BlobStoreError.self) { try await store.check() }
            #expect(requests().count == 6)
        }
    }

    @Test(arguments: [
        (403, "InvalidAccessKeyId", "asset.s3.accessKey"), (403, "SignatureDoesNotMatch", "asset.s3.secretKey"),
        (403, "AccessDenied", "do not allow"), (404, "NoSuchBucket", "asset.s3.bucket"),
        (301, "PermanentRedirect", "asset.s3.region"), (403, "RequestTimeTooSkewed", "clock"),
        (400, "InvalidRequest", "InvalidRequest"), (409, "OperationAborted", "409"),
    ])
    func whatIsRefusedIsNotTriedAgainAndSaysWhy(status: Int, code: String, hint: String) async throws {
        try await Self.with { _, _ in
            Self.error(status, code)
        } _: { store, requests in
            let error = await #expect(throws: BlobStoreError.self) { try await store.add(ByteBuffer(string: "x")) }
            let text = try #require(error?.description)
            #expect(text.contains("PUT p/blobs/c/ab/") && text.contains("\(status) \(code), request R1"))
            #expect(text.contains(hint))
            #expect(!text.contains("hush"))
            #expect(requests().count == 1)
        }
    }

    @Test func aConnectionThatIsCutIsMadeAnew() async throws {
        try await Self.with(cuts: 2) { request, number in
            var response = FakeHTTPServer.Response(
                status: request.method == "GET" ? 206 : 200, headers: ["ETag": "\"1\""],
                body: Array("some bytes".utf8))
            if request.method == "GET", number == 2 { response.isCutOffAfter = 4 }
            return response
        } _: { store, requests in
            let key = try await store.add(TestBlob.bytes(3 << 20))
            #expect(requests().count == 1)
            let bytes = try await store.bytes(key)
            #expect(bytes == ByteBuffer(string: "some bytes"))
            #expect(requests().map(\.method) == ["PUT", "HEAD", "GET", "GET"])
            #expect(requests().last?.headers["range"] == "bytes=0-9")
            #expect(requests().last?.headers["if-match"] == "\"1\"")
        }
    }

    @Test func aPortWithoutAListenerIsReportedAsSuch() async throws {
        try await HTTPClient.withHTTPClient(configuration: S3Client.connections) { http in
            var store = S3BlobStore(S3WireTests.configuration(endpoint: "http://127.0.0.1:1"), http: http)
            store.client.retries.firstPause = .milliseconds(1)
            let error = await #expect(throws: BlobStoreError.self) { try await store.check() }
            #expect(error?.description.contains("no response") == true)
            #expect(error?.description.contains("hush") == false)
        }
    }

    @Test func silenceEndsAnAttempt() async throws {
        let gate = DispatchSemaphore(value: 0)
        try await Self.with { _, number in
            if number == 0 { gate.wait() }
            return FakeHTTPServer.Response()
        } _: { store, _ in
            var impatient = store
            impatient.client.retries.attemptLimit = .milliseconds(300)
            _ = try await impatient.add(ByteBuffer(string: "x"))
            gate.signal()
        }
    }

    @Test func anErrorAfterTheStatusIsAnError() async throws {
        try await Self.with { request, number in
            request.headers["x-amz-copy-source"] == nil || number == 0
                ? Self.error(200, number == 0 ? "InternalError" : "AccessDenied")
                : FakeHTTPServer.Response(body: Array("<CopyObjectResult><ETag>e</ETag></CopyObjectResult>".utf8))
        } _: { store, requests in
            try await store.copy("a", to: "b", size: 1)
            #expect(requests().count == 2)
            await #expect(throws: BlobStoreError.self) { try await store.begin("a") }
            #expect(requests().count == 3)
        }
    }

    @Test func anotherServersPageIsNoDocument() async throws {
        try await Self.with { _, _ in
            FakeHTTPServer.Response(body: Array("<!DOCTYPE html><html><br></html>".utf8))
        } _: { store, requests in
            let error = await #expect(throws: BlobStoreError.self) { try await store.removeAbandonedUploads() }
            #expect(error?.description.contains("not a valid document") == true)
            #expect(requests().count == 1)
        }
    }

    @Test func anAnswerWithoutEndIsNotHeld() async throws {
        try await Self.with { _, _ in
            FakeHTTPServer.Response(body: [UInt8](repeating: 7, count: 1 << 20))
        } _: { store, _ in
            let error = await #expect(throws: BlobStoreError.self) { try await store.identity() }
            #expect(error?.description.contains("larger than 65536 bytes") == true)
        }
    }

    @Test func aCompletionWhoseAnswerWasLostIsFoundOut() async throws {
        try await Self.with { request, number in
            switch (request.method, number) {
            case ("POST", 0): FakeHTTPServer.Response(status: 500)
            case ("POST", _): Self.error(404, "NoSuchUpload")
            default: FakeHTTPServer.Response(headers: ["ETag": "e"], body: [1, 2, 3])
            }
        } _: { store, requests in
            try await store.complete("a", upload: "u", parts: ["e"], size: 3)
            #expect(requests().map(\.method) == ["POST", "POST", "HEAD"])
            // An object of another size was not written by this upload, and neither was one that existed before the
            // first attempt.
            await #expect(throws: BlobStoreError.self) {
                try await store.complete("a", upload: "u", parts: ["e"], size: 3)
            }
        }
    }

    @Test func aServerWithoutConditionsIsGivenItsIdAllTheSame() async throws {
        let stored = Mutex<[UInt8]?>(nil)
        try await Self.with { request, _ in
            guard request.method == "PUT" else {
                return stored.withLock { $0.map { FakeHTTPServer.Response(body: $0) } } ?? Self.error(404, "NoSuchKey")
            }
            guard request.headers["if-none-match"] == nil else { return Self.error(501, "NotImplemented") }
            stored.withLock { $0 = request.body }
            return FakeHTTPServer.Response()
        } _: { store, _ in
            let id = UUID()
            try await store.identify(as: id)
            let kept = try await store.identity()
            #expect(kept == id)
            await #expect(throws: BlobStoreError.self) { try await store.identify(as: UUID()) }
        }
    }

    @Test func agesAreComputedByTheServersClock() async throws {
        let keys = [TestBlob.key("old"), TestBlob.key("young")]
        let times = ["2013-05-24T00:00:00.000Z", "2013-05-24T00:00:50.000Z"]
        let objects = zip(keys, times).map {
            "<Contents><Key>p/blobs/\($0)</Key><LastModified>\($1)</LastModified></Contents>"
        }.joined()
        try await Self.with { _, _ in
            FakeHTTPServer.Response(
                headers: ["Date": "Fri, 24 May 2013 00:01:00 GMT"],
                body: Array("<ListBucketResult>\(objects)</ListBucketResult>".utf8))
        } _: { store, _ in
            var walked: [BlobKey] = []
            try await store.forEachPage(olderThan: .seconds(30)) { walked += $0 }
            #expect(walked == [keys[0]])
        }
    }

    @Test func aListingThatLosesItsThreadIsAnError() async throws {
        try await Self.with { _, _ in
            FakeHTTPServer.Response(
                body: Array("<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>".utf8))
        } _: { store, _ in
            await #expect(throws: BlobStoreError.self) { try await store.forEachPage(olderThan: .zero) { _ in } }
        }
    }

    @Test func theBucketMayBeInTheHostName() async throws {
        let server = FakeHTTPServer { request in
            FakeHTTPServer.Response(
                status: request.path == "/p/check" && request.headers["authorization"] != nil ? 200 : 400,
                headers: ["x-amz-request-id": request.headers["host"] ?? ""])
        }
        defer { withExtendedLifetime(server) {} }
        let port = try #require(URL(string: server.url)?.port)
        var connections = S3Client.connections
        connections.dnsOverride = ["blobs.s3.test": "127.0.0.1"]
        try await HTTPClient.withHTTPClient(configuration: connections) { http in
            let store = S3BlobStore(
                S3WireTests.configuration(endpoint: "http://s3.test:\(port)", prefix: "p/"), http: http)
            try await store.check()
            let answer = try await store.send(S3Request(method: .GET, key: "p/check"))
            #expect(answer.headers.first(name: "x-amz-request-id") == "blobs.s3.test:\(port)")
        }
    }
}
