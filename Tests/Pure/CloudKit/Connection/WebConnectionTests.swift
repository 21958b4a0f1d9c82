import CloudKitModel
import Crypto
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import CloudKit

@Suite(.timeLimit(.minutes(1))) struct WebConnectionTests {
    private static let modify = WebRequest("records/modify", in: .public, body: Array("{\"operations\": []}".utf8))
    private static let query = WebRequest("records/query", in: .public)

    @Test("A request has CloudKit's path, the API token, and a key that makes it safe to repeat")
    func request() async throws {
        let gateway = FakeGateway { _, _ in FakeGateway.json("{\"records\": []}") }
        let body = try await gateway.connection().send(Self.modify)
        #expect(String(decoding: body, as: UTF8.self) == "{\"records\": []}")
        let request = try #require(gateway.requests.first)
        #expect(request.method == "POST")
        #expect(
            request.path
                == "/database/1/iCloud.org.example.Notes/development/public/records/modify?clientId=here&ckAPIToken=t1")
        #expect(request.headers["idempotency-key"] == Self.modify.idempotencyKey)
        #expect(request.body == Self.modify.body)
    }

    @Test("Requests about tokens go to the device module, without a database")
    func device() async throws {
        let gateway = FakeGateway { _, _ in FakeGateway.json("{}") }
        _ = try await gateway.connection().send(WebRequest(device: "tokens/create", body: []))
        #expect(
            gateway.requests.first?.path.hasPrefix("/device/1/iCloud.org.example.Notes/development/tokens/create?")
                == true)
    }

    @Test("The newest web auth token is sent, percent-encoded")
    func rotation() async throws {
        let gateway = FakeGateway { request, number in
            request.path.contains("users/caller")
                ? FakeGateway.json("{\"userRecordName\": \"_a\"}")
                : FakeGateway.json("{}", headers: ["X-Apple-CloudKit-Web-Auth-Token": "w/\(number)+="])
        }
        let connection = try gateway.connection(session: FakeGateway.session("w0"))
        for _ in 0..<2 { _ = try await connection.send(WebRequest("zones/list", in: .private)) }
        let tokens = gateway.requests.map { $0.path.components(separatedBy: "ckWebAuthToken=").last }
        #expect(tokens == ["w0", "w0", "w%2F1%2B%3D"])
        #expect(gateway.requests.first?.path.contains("/public/users/caller?") == true)
        #expect(connection.session?.account == .user("_a"))
    }

    @Test("A server-to-server key signs the request")
    func signature() async throws {
        let gateway = FakeGateway { _, _ in FakeGateway.json("{}") }
        let key = P256.Signing.PrivateKey()
        let pem =
            "-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n" + key.pemRepresentation
        let id = String(repeating: "ab", count: 32)
        _ = try await gateway.connection(proof: .key(id: id, pem: pem)).send(Self.modify)
        let request = try #require(gateway.requests.first)
        #expect(!request.path.contains("ckAPIToken"))
        #expect(request.headers["x-apple-cloudkit-request-keyid"] == id)
        let date = try #require(request.headers["x-apple-cloudkit-request-iso8601date"])
        #expect(date.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/) != nil)
        let der = try #require(
            request.headers["x-apple-cloudkit-request-signaturev1"].flatMap { Data(base64Encoded: $0) })
        let hash = Data(SHA256.hash(data: Self.modify.body)).base64EncodedString()
        #expect(
            key.publicKey.isValidSignature(
                try P256.Signing.ECDSASignature(derRepresentation: der),
                for: Data("\(date):\(hash):\(request.path)".utf8)))
    }

    @Test("A key that is not one is refused with advice")
    func wrongKey() throws {
        let gateway = FakeGateway { _, _ in FakeGateway.json("{}") }
        let error = try #require(throws: CKError.self) {
            try gateway.connection(proof: .key(id: "k", pem: "-----BEGIN PRIVATE KEY-----\n-----END PRIVATE KEY-----"))
        }
        #expect(error.code == .notAuthenticated)
        #expect(error.localizedDescription.contains("openssl"))
    }

    @Test("The server's error has Apple's code and the server's details")
    func serverError() async throws {
        let gateway = FakeGateway { _, _ in
            FakeGateway.json(
                """
                {"uuid": "U1", "serverErrorCode": "ZONE_NOT_FOUND", "ckErrorCode": 26, "reason": "No zone 'x'",
                 "reasonCode": "zone_not_found", "hint": "Create it."}
                """, status: 404)
        }
        let error = try await #require(throws: CKError.self) { try await gateway.connection().send(Self.query) }
        #expect(error.code == .zoneNotFound)
        #expect(error.localizedDescription == "No zone 'x'. Create it.")
        #expect(error.userInfo[ZondaErrorKey.requestID] as? String == "U1")
        #expect(gateway.requests.count == 1)
    }

    @Test("An atomic request that failed is answered with the error of each item")
    func atomic() async throws {
        let text = "{\"serverErrorCode\": \"ATOMIC_ERROR\", \"ckErrorCode\": 22, \"reason\": \"r\", \"records\": []}"
        let gateway = FakeGateway { _, _ in FakeGateway.json(text, status: 400) }
        #expect(try await gateway.connection().send(Self.modify) == Array(text.utf8))
    }

    @Test("A busy server is not asked again, and the error says when to")
    func retryAfter() async throws {
        let text = "{\"serverErrorCode\": \"THROTTLED\", \"ckErrorCode\": 7, \"reason\": \"r\", \"retryAfter\": 30}"
        let gateway = FakeGateway { _, _ in FakeGateway.json(text, status: 429) }
        let error = try await #require(throws: CKError.self) { try await gateway.connection().send(Self.modify) }
        #expect(error.code == .requestRateLimited)
        #expect(error.retryAfterSeconds == 30)
        #expect(gateway.requests.count == 1)
    }

    @Test("Patient work waits at least as long as a busy server demands, and gives up at its limit")
    func patience() async throws {
        let gateway = FakeGateway { _, number in
            number < 2
                ? FakeGateway.json(
                    "{\"serverErrorCode\": \"TRY_AGAIN_LATER\", \"ckErrorCode\": 23, \"reason\": \"r\", \"retryAfter\": 30}",
                    status: 503) : FakeGateway.json("{}")
        }
        let connection = try gateway.connection()
        let error = try await #require(throws: CKError.self) {
            try await connection.send(Self.modify, patience: .until(.seconds(10)))
        }
        #expect(error.code == .zoneBusy)
        #expect(gateway.pauses.isEmpty)
        _ = try await connection.send(Self.modify, patience: .until(.seconds(600)))
        #expect(gateway.pauses == [.seconds(30)])
        #expect(Set(gateway.requests.map { $0.headers["idempotency-key"] }).count == 1)
    }

    @Test("A request whose answer is cut off is repeated with the same key")
    func lostAnswer() async throws {
        let gateway = FakeGateway { _, number in
            var answer = FakeGateway.json("{\"records\": []}")
            if number < 2 { answer.isCutOffAfter = number * 5 }
            return answer
        }
        let body = try await gateway.connection().send(Self.modify)
        #expect(String(decoding: body, as: UTF8.self) == "{\"records\": []}")
        #expect(gateway.requests.count == 3)
        #expect(Set(gateway.requests.map { $0.headers["idempotency-key"] }).count == 1)
    }

    @Test("If every answer is lost, the outcome of a write is unknown, and a read has failed")
    func alwaysLost() async throws {
        let gateway = FakeGateway { _, _ in
            var answer = FakeGateway.json("{\"records\": []}")
            answer.isCutOffAfter = 3
            return answer
        }
        let connection = try gateway.connection()
        let write = try await #require(throws: CKError.self) { try await connection.send(Self.modify) }
        #expect(write.code == .serverResponseLost)
        #expect(write.userInfo[NSUnderlyingErrorKey] != nil)
        #expect(gateway.requests.count == RetryPolicy().maxAttempts)
        let read = try await #require(throws: CKError.self) { try await connection.send(Self.query) }
        #expect(read.code == .networkFailure)
    }

    @Test("A server that is down is a network failure after a few attempts")
    func down() async throws {
        let pauses = Mutex(0)
        var policy = RetryPolicy()
        policy.sleep = { _ in pauses.withLock { $0 += 1 } }
        let place = ConnectionPlace(
            url: "http://127.0.0.1:1", container: "c", environment: "development", proof: .apiToken("t"))
        let connection = try WebConnection(
            place, session: nil, client: try HTTPClients.client(trusting: nil), policy: policy)
        let error = try await #require(throws: CKError.self) { try await connection.send(Self.query) }
        #expect(error.code == .networkFailure)
        #expect(error.localizedDescription.contains("127.0.0.1:1"))
        #expect(pauses.withLock { $0 } == policy.maxAttempts - 1)
    }

    @Test("A server that does not answer in time is a network failure")
    func timeout() async throws {
        let release = DispatchSemaphore(value: 0)
        let gateway = FakeGateway { _, _ in
            release.wait()
            return FakeGateway.json("{}")
        }
        defer { release.signal() }
        let connection = try gateway.connection()
        let error = try await #require(throws: CKError.self) {
            try await connection.send(Self.query, timeout: .milliseconds(200))
        }
        #expect(error.code == .networkFailure)
        #expect(error.localizedDescription.contains("in time"))
    }

    @Test("A cancelled task cancels its request")
    func cancellation() async throws {
        let (arrived, signal) = AsyncStream<Void>.makeStream()
        let release = DispatchSemaphore(value: 0)
        let gateway = FakeGateway { _, _ in
            signal.yield()
            release.wait()
            return FakeGateway.json("{}")
        }
        defer { release.signal() }
        let connection = try gateway.connection()
        let task = Task { try await connection.send(Self.query) }
        for await _ in arrived.prefix(1) {}
        task.cancel()
        let error = try await #require(throws: CKError.self) { try await task.value }
        #expect(error.code == .operationCancelled)
    }

    private static let signInNeeded = FakeGateway.json(
        """
        {"serverErrorCode": "AUTHENTICATION_REQUIRED", "ckErrorCode": 9, "reason": "request needs authorization",
         "redirectURL": "http://h/signin"}
        """, status: 421)

    @Test("When the session ends, private requests fail without being sent, and public ones go without a user")
    func sessionEnds() async throws {
        let gateway = FakeGateway { request, _ in
            request.path.contains("ckWebAuthToken") ? Self.signInNeeded : FakeGateway.json("{}")
        }
        let changes = Mutex(0)
        let session = FakeGateway.session("w1") { changes.withLock { $0 += 1 } }
        let connection = try gateway.connection(session: session)
        let first = try await #require(throws: CKError.self) {
            try await connection.send(WebRequest("zones/list", in: .private))
        }
        #expect(first.code == .notAuthenticated)
        #expect(session.account == .none)
        #expect(changes.withLock { $0 } == 1)
        let count = gateway.requests.count
        let second = try await #require(throws: CKError.self) {
            try await connection.send(WebRequest("zones/list", in: .private))
        }
        #expect(second.code == .notAuthenticated)
        #expect(second.localizedDescription.contains("ZONDA_WEB_AUTH_TOKEN"))
        #expect(gateway.requests.count == count)
        _ = try await connection.send(Self.query)
    }

    @Test("A request that is refused is sent again with the session that the file contains by then")
    func sessionReplaced() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/client.json"
        @Sendable func store(_ token: String) throws {
            try ClientFile.update(path) { file in
                file.set("webAuthToken", of: FakeGateway.container, to: token)
                file.set("userRecordName", of: FakeGateway.container, to: "_a")
                return true
            }
        }
        try store("old")
        let gateway = FakeGateway { request, _ in
            guard request.path.hasSuffix("ckWebAuthToken=old") else { return FakeGateway.json("{}") }
            try? store("new")
            return Self.signInNeeded
        }
        let changes = Mutex(0)
        let session = UserSession(
            .file(path), container: FakeGateway.container, accountChanged: { changes.withLock { $0 += 1 } })
        _ = try await gateway.connection(session: session).send(WebRequest("zones/list", in: .private))
        #expect(gateway.requests.count == 2)
        #expect(session.account == .user("_a"))
        #expect(changes.withLock { $0 } == 0)
    }

    @Test("Server-sent events are read until the stream ends; the last event's ID continues it")
    func events() async throws {
        let gateway = FakeGateway { _, _ in
            FakeGateway.json(
                ": hello\n\nid: 1\ndata: {\"a\": 1}\n\nid: 2\r\ndata: x\r\ndata: y\r\n\r\nid: 3\ndata: unfinished\n",
                headers: ["content-type": "text/event-stream"])
        }
        let body = try await gateway.connection().openEvents(
            at: gateway.url + "/courier?tok=1", after: "0", lasting: .seconds(60))
        var reader = EventReader(body)
        #expect(try await reader.next() == ServerSentEvent(id: "1", data: "{\"a\": 1}"))
        #expect(try await reader.next() == ServerSentEvent(id: "2", data: "x\ny"))
        #expect(try await reader.next() == nil)
        let request = try #require(gateway.requests.first)
        #expect(request.headers["last-event-id"] == "0")
        #expect(request.headers["accept"] == "text/event-stream")
    }
}
