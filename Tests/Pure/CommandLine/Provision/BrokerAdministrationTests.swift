import AMQPClient
import CloudKitWire
import Synchronization
import TestSupport
import Testing

@testable import CommandLine

/// Requests to RabbitMQ's management API, which sometimes fails.
struct BrokerAdministrationTests {
    /// The statuses with which a fake management API answers, one after the other, and the requests that it received.
    private final class Script: Sendable {
        private let state: Mutex<(statuses: [Int], requests: [String])>

        /// - Parameter statuses: the statuses, of which the last one is repeated. Zero closes the connection without an
        ///   answer.
        init(_ statuses: [Int]) { state = Mutex((statuses, [])) }

        var requests: [String] { state.withLock { $0.requests } }

        /// Returns whether the next request is answered.
        func answersNext() -> Bool {
            state.withLock { state in
                guard state.statuses.first == 0 else { return true }
                if state.statuses.count > 1 { state.statuses.removeFirst() }
                state.requests.append("closed")
                return false
            }
        }

        func answer(_ request: FakeHTTPServer.Request) -> FakeHTTPServer.Response {
            state.withLock { state in
                state.requests.append("\(request.method) \(request.path)")
                let status = state.statuses.count > 1 ? state.statuses.removeFirst() : state.statuses[0]
                return .init(status: status, body: status == 200 ? Array(#"{"name":"a"}"#.utf8) : [])
            }
        }
    }

    private func withAdministration<Result>(
        answering statuses: [Int], _ body: (BrokerAdministration, Script) async throws -> Result
    ) async throws -> Result {
        let script = Script(statuses)
        let server = FakeHTTPServer(takesBody: { _ in script.answersNext() }) { script.answer($0) }
        let amqp = try AMQPConfiguration(url: "amqp://operator:secret@localhost/v")
        defer { withExtendedLifetime(server) {} }
        return try await BrokerAdministration.with(server.url, amqp, firstPause: .milliseconds(1)) {
            try await body($0, script)
        }
    }

    @Test(arguments: [[500, 204], [503, 500, 502, 500, 204], [0, 204], [0, 500, 0, 404]])
    func aTransientFailureIsRepeated(_ statuses: [Int]) async throws {
        try await withAdministration(answering: statuses) { administration, script in
            try await administration.disconnect("a")
            #expect(script.requests.count == statuses.count)
            #expect(Set(script.requests).subtracting(["closed"]) == ["DELETE /api/connections/username/a"])
        }
    }

    @Test func theAnswerOfTheLastAttemptIsReturned() async throws {
        let user = try await withAdministration(answering: [500, 200]) { administration, _ in
            try await administration.user("a")
        }
        #expect(user?["name"]?.string == "a")
    }

    @Test func anObjectThatDoesNotExistIsNil() async throws {
        try await withAdministration(answering: [404]) { administration, _ in
            let user = try await administration.user("a")
            #expect(user == nil)
            let queue = try await administration.get("queues", ["a"])
            #expect(queue == nil)
        }
    }

    @Test func attemptsAreBoundedAndTheErrorNamesTheRequest() async throws {
        try await withAdministration(answering: [500]) { administration, script in
            let error = await #expect(throws: ProvisionError.self) { try await administration.disconnect("a b") }
            let text = try #require(error?.description)
            #expect(text.hasSuffix("responded to DELETE /api/connections/username/a%20b with 500"), "\(text)")
            #expect(!text.contains("secret"))
            #expect(script.requests.count == 5)
        }
    }

    @Test func aConnectionThatIsAlwaysClosedIsAnError() async throws {
        try await withAdministration(answering: [0]) { administration, script in
            let error = await #expect(throws: ProvisionError.self) { try await administration.deleteUser("a") }
            let text = try #require(error?.description)
            #expect(text.hasSuffix("closed the connection before it responded to DELETE /api/users/a"), "\(text)")
            #expect(script.requests.count == 5)
        }
    }

    @Test(arguments: [400, 401])
    func aRefusalIsNotRepeated(_ status: Int) async throws {
        try await withAdministration(answering: [status]) { administration, script in
            let error = await #expect(throws: ProvisionError.self) { try await administration.deleteUser("a") }
            #expect(error?.description.contains("DELETE /api/users/a") == true)
            #expect(script.requests.count == 1)
        }
    }
}
