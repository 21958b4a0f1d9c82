import AMQPClient
import CloudKitWire
import Foundation
import ServiceMessages
import Synchronization
import TestSupport
import Testing

extension EndToEndTests {
    /// Guessing links: no guess is answered differently from another, other users are served, and the memory stays flat.
    @Suite(.timeLimit(.minutes(3))) struct LinkGuessTests {
        /// The duration of each half of the attack.
        private static let half = Duration.seconds(3)
        /// The rate of requests, per second: over HTTP, from one address; over AMQP, from one user.
        private static let rate = 10
        /// The increase of a service's memory between the halves of the attack that is not a leak, in bytes.
        private static let slack = 60_000_000

        /// The numbers of answers to guesses.
        private struct Counts {
            var answered = 0
            var throttled = 0
            var unexpected: [String] = []

            /// Counts an answer, which may only be a refusal of the rate or find nothing.
            mutating func add(_ status: Int, finds nothing: Bool, _ text: String) {
                switch status {
                case 200 where nothing: answered += 1
                case 429: throttled += 1
                default: unexpected.append("\(status) \(text)")
                }
            }
        }

        private final class Guesses: Sendable {
            let counts = Mutex(Counts())
        }

        @Test func overHTTPGuessesAreThrottledAndOthersAreServed() async throws {
            try await ServiceStack.with { stack in
                let record = try await stack.startService(.record)
                let gateway = try await stack.startService(
                    .gateway,
                    [
                        "ZONDA_RATE_ADDRESS_PER_SECOND": "\(Self.rate)", "ZONDA_RATE_ADDRESS_BURST": "\(Self.rate)",
                        "ZONDA_HTTP_TRUSTED_PROXIES": "127.0.0.1",
                    ])
                let (honest, guesser) = (try await GatewayClient.user(stack), try await GatewayClient.user(stack))
                let body = Self.body(try await Self.link(of: stack, for: honest.userName))
                let (found, seconds) = try await Self.attack(
                    [(.record, record), (.gateway, gateway)], guessers: 16,
                    guess: { try await Self.guess(guesser, $0) },
                    honest: {
                        let headers = ["X-Forwarded-For": "192.0.2.2"]
                        let text = String(decoding: body.encoded(), as: UTF8.self)
                        return try await honest.ask("records/resolve", in: "public", text, headers: headers).json
                    })
                #expect(found.throttled > found.answered, "\(found)")
                #expect(Double(found.answered) <= Double(Self.rate) * (seconds + 2), "\(found) in \(seconds) s")
            }
        }

        /// By default, the rate of requests over AMQP is not limited, because producers are trusted more than clients.
        @Test(arguments: [nil, rate])
        func overAMQPAtFullRateOthersAreServed(rate: Int?) async throws {
            try await ServiceStack.with { stack in
                let record = try await stack.startService(
                    .record, rate.map { ["ZONDA_THROTTLE_USER_RATE": "\($0)"] } ?? [:])
                let (honest, guesser) = (
                    stack.client().with(Header.database, "public"), stack.client().with(Header.database, "public")
                )
                let body = Self.body(try await Self.link(of: stack, for: honest.user))
                let (found, seconds) = try await Self.attack(
                    [(.record, record)], guessers: 64, guess: { try await Self.guess(guesser, $0) },
                    honest: { try await honest.ask(.recordsResolve, body).body })
                if let rate {
                    #expect(found.throttled > found.answered, "\(found)")
                    #expect(Double(found.answered) <= Double(rate) * (seconds + 2), "\(found) in \(seconds) s")
                } else {
                    #expect(found.throttled == 0 && found.answered > Self.rate, "\(found)")
                }
            }
        }

        /// Creates a share to which a user is invited, and returns its link.
        private static func link(of stack: ServiceStack, for user: String) async throws -> String {
            _ = try await stack.operator.ask(.containersCreate, ["container": .string(stack.container)])
            let owner = stack.client()
            try await owner.zones("create", "Lists")
            let invited: JSONValue = ["userIdentity": ["userRecordName": .string(user)]]
            let saved = try await owner.modify(
                "Lists", .note("create", "list"), .share("create", "S", of: "list", participants: [invited]))
            return try #require(saved["records"]?[1]?["shortGUID"]?.string, "\(saved.body)")
        }

        /// Guesses links while an honest user resolves a link again and again. Checks the answers to both, the memory of
        /// the services and their logs.
        ///
        /// - Parameter guessers: the number of guesses in progress.
        private static func attack(
            _ services: [(name: ServiceName, process: ServiceProcess)], guessers: Int,
            guess: @escaping @Sendable (Guesses) async throws -> Void,
            honest: @escaping @Sendable () async throws -> JSONValue
        ) async throws -> (counts: Counts, seconds: Double) {
            let guesses = Guesses()
            let started = ContinuousClock.now
            var peaks: [[ServiceName: Int]] = []
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<guessers {
                    group.addTask {
                        while !Task.isCancelled { try await guess(guesses) }
                    }
                }
                for _ in 0..<2 { peaks.append(try await watch(MemoryWatch(services), while: honest)) }
                group.cancelAll()
                // The requests that were interrupted fail.
                while await group.nextResult() != nil {}
            }
            let seconds = (ContinuousClock.now - started) / .seconds(1)
            let counts = guesses.counts.withLock { $0 }
            #expect(counts.unexpected.prefix(3) == [])
            for (name, process) in services {
                let (first, second) = (peaks[0][name] ?? 0, peaks[1][name] ?? 0)
                #expect(first > 0 && second - first < slack, "\(name): \(first) and \(second) bytes")
                #expect(process.errors == [])
            }
            return (counts, seconds)
        }

        /// Watches the memory while an honest user resolves a link again and again.
        private static func watch(
            _ memory: MemoryWatch, while honest: @escaping @Sendable () async throws -> JSONValue
        ) async throws -> [ServiceName: Int] {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { await memory.run() }
                defer { group.cancelAll() }
                let end = ContinuousClock.now + half
                while ContinuousClock.now < end {
                    let answer = try await honest()
                    #expect(answer["results"]?[0]?["participantStatus"] == "INVITED", "\(answer)")
                    // The honest user stays below the rate.
                    try await ContinuousClock().sleep(for: .milliseconds(250))
                }
                return memory.peak
            }
        }

        private static func body(_ links: String...) -> JSONValue { body(links) }

        private static func body(_ links: [String]) -> JSONValue {
            ["shortGUIDs": .array(links.map { ["value": .string($0)] })]
        }

        /// As many made-up links as a request may contain.
        private static func links() -> [String] {
            (0..<100).map { _ in
                String((0..<24).map { _ in "abcdefghijklmnopqrstuvwxyz0123456789".randomElement() ?? "a" })
            }
        }

        private static func findsNothing(_ answer: JSONValue) -> Bool {
            answer["results"]?.array?.allSatisfy { $0.errorCode == "NOT_FOUND" } == true
        }

        /// Sends a request with guesses, and asks for the page of one.
        private static func guess(_ client: GatewayClient, _ guesses: Guesses) async throws {
            let links = links()
            let headers = ["X-Forwarded-For": "192.0.2.1"]
            let endpoint = Bool.random() ? "records/resolve" : "records/accept"
            let text = String(decoding: body(links).encoded(), as: UTF8.self)
            let reply = try await client.ask(endpoint, in: "public", text, headers: headers)
            let page = try await AssetClient.get(client.stack.gatewayURL + "/share/\(links[0])", headers: headers)
            guesses.counts.withLock {
                $0.add(reply.status, finds: findsNothing(reply.json), reply.text)
                $0.add(page.status, finds: true, page.text)
            }
        }

        /// Sends a request with guesses.
        private static func guess(_ client: TestClient, _ guesses: Guesses) async throws {
            let operations: [ServiceMessages.Operation] = [.recordsResolve, .recordsAccept, .sharesRequestAccess]
            let reply = try await client.ask(operations.randomElement() ?? .recordsResolve, body(links()))
            guesses.counts.withLock { $0.add(reply.status, finds: findsNothing(reply.body), "\(reply.body)") }
        }
    }
}
