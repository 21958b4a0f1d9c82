import AMQPClient
import CloudKitWire
import Logging
import ServiceMessages
import Synchronization
import TestSupport

/// Clients that send valid saves and reads while others attack. They use the broker and HTTP, and each acts for its own
/// user.
final class HonestClients: Sendable {
    /// The time within which every request must be answered.
    static let deadline = Duration.seconds(10)
    /// The time between two requests of a client.
    private static let pause = Duration.milliseconds(100)

    /// The results of the clients.
    struct Report: Sendable {
        var latencies: [Duration] = []
        var failures: [String] = []

        /// Returns the latency that `percent` per cent of the requests do not exceed.
        func percentile(_ percent: Int) -> Duration {
            let sorted = latencies.sorted()
            return sorted.isEmpty ? .zero : sorted[min(sorted.count - 1, sorted.count * percent / 100)]
        }
    }

    private struct State {
        var report = Report()
        var isStopped = false
    }

    private let stack: ServiceStack
    private let state = Mutex(State())

    init(on stack: ServiceStack) { self.stack = stack }

    /// The results so far.
    var report: Report { state.withLock { $0.report } }

    /// Stops counting, because requests in progress are cancelled in no particular order.
    func stop() { state.withLock { $0.isStopped = true } }

    /// Runs two clients over the broker and one over HTTP until the task is cancelled.
    ///
    /// - Throws: an error if the clients cannot start.
    func run() async throws {
        let rpc = AMQPRPCClient(
            configuration: try stack.vhost.configuration(),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let clients = (0..<2).map { _ in TestClient(rpc: rpc, container: stack.container) }
        let user = try await GatewayClient.user(stack)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await rpc.run() }
            try await rpc.waitUntilConnected(timeout: .seconds(20))
            for client in clients {
                try await client.zones("create", "Honest")
                group.addTask { await self.work { try await Self.exchange(over: client, number: $0) } }
            }
            group.addTask { await self.work { try await Self.exchange(over: user, number: $0) } }
            try await group.waitForAll()
        }
    }

    private func work(_ exchange: @escaping @Sendable (Int) async throws -> Void) async {
        let clock = ContinuousClock()
        var number = 0
        while !Task.isCancelled {
            number += 1
            let begin = clock.now
            do {
                try await exchange(number)
                let answered = clock.now - begin
                if Task.isCancelled { return }
                state.withLock { if !$0.isStopped { $0.report.latencies.append(answered) } }
                if answered > Self.deadline { fail("an answer took \(answered)") }
            } catch {
                if !Task.isCancelled { fail("\(error)") }
            }
            try? await clock.sleep(until: begin + Self.pause)
        }
    }

    private func fail(_ what: String) { state.withLock { if !$0.isStopped { $0.report.failures.append(what) } } }

    /// Sends a request. Every other request is a save, and the request after it looks up the saved record.
    private static func exchange(over client: TestClient, number: Int) async throws {
        let saved = Int64(number - number % 2)
        if number.isMultiple(of: 2) {
            let reply = try await client.ask(
                .recordsModify, .modify("Honest", [.operation("forceReplace", "record", ["n": .int(saved)])]),
                within: deadline)
            try expect(reply.status == 200 && reply["records"]?[0]?.errorCode == nil, reply.body)
        } else if saved > 0 {
            let reply = try await client.ask(
                .recordsLookup, ["zoneID": .zone("Honest"), "records": [["recordName": "record"]]], within: deadline)
            try expect(reply["records"]?[0]?.values["n"] == .int(saved), reply.body)
        }
    }

    private static func exchange(over client: GatewayClient, number: Int) async throws {
        let saved = Int64(number - number % 2)
        if number.isMultiple(of: 2) {
            let body = JSONValue.object([
                .init("operations", [.operation("forceReplace", "record", ["n": .int(saved)])])
            ])
            let reply = try await client.ask("records/modify", String(decoding: body.encoded(), as: UTF8.self))
            try expect(reply.status == 200 && reply.json["records"]?[0]?.errorCode == nil, reply.json)
        } else if saved > 0 {
            let reply = try await client.ask("records/lookup", #"{"records":[{"recordName":"record"}]}"#)
            try expect(reply.json["records"]?[0]?.values["n"] == .int(saved), reply.json)
        }
    }

    private static func expect(_ isSo: Bool, _ answer: JSONValue) throws {
        if !isSo { throw TestFailure("an honest request is answered \(answer)") }
    }
}
