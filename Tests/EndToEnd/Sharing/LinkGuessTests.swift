import CloudKitWire
import Foundation
import ServiceMessages
import Synchronization
import TestSupport
import Testing

extension EndToEndTests {
    /// Guessing links: no guess is answered differently from another, guesses are throttled, and other users are served.
    @Suite(.timeLimit(.minutes(2))) struct LinkGuessTests {
        /// The duration of each half of the attack.
        private static let half = Duration.seconds(3)
        /// The rate of requests from one address, per second.
        private static let rate = 10
        private static let settings = [
            "ZONDA_RATE_ADDRESS_PER_SECOND": "\(rate)", "ZONDA_RATE_ADDRESS_BURST": "\(rate)",
            "ZONDA_HTTP_TRUSTED_PROXIES": "127.0.0.1",
        ]
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

        @Test func guessedLinksAreThrottledAndTheMemoryStaysFlat() async throws {
            try await ServiceStack.with { stack in
                let record = try await stack.startService(.record)
                let gateway = try await stack.startService(.gateway, Self.settings)
                _ = try await stack.operator.ask(.containersCreate, ["container": .string(stack.container)])
                let (owner, honest, guesser) = (
                    stack.client(), try await GatewayClient.user(stack), try await GatewayClient.user(stack)
                )
                try await owner.zones("create", "Lists")
                let invited: JSONValue = ["userIdentity": ["userRecordName": .string(honest.userName)]]
                let saved = try await owner.modify(
                    "Lists", .note("create", "list"), .share("create", "S", of: "list", participants: [invited]))
                let link = try #require(saved["records"]?[1]?["shortGUID"]?.string, "\(saved.body)")

                let guesses = Guesses()
                let started = ContinuousClock.now
                var peaks: [[ServiceName: Int]] = []
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<16 {
                        group.addTask {
                            while !Task.isCancelled { try await Self.guess(guesser, guesses) }
                        }
                    }
                    for _ in 0..<2 {
                        let memory = MemoryWatch([(.record, record), (.gateway, gateway)])
                        peaks.append(try await Self.watch(memory, while: honest, resolves: link))
                    }
                    group.cancelAll()
                    // The requests that were interrupted fail.
                    while await group.nextResult() != nil {}
                }
                let seconds = (ContinuousClock.now - started) / .seconds(1)
                let found = guesses.counts.withLock { $0 }
                #expect(found.unexpected.prefix(3) == [])
                #expect(found.throttled > found.answered, "\(found)")
                #expect(Double(found.answered) <= Double(Self.rate) * (seconds + 2), "\(found) in \(seconds) s")
                for name in [ServiceName.record, .gateway] {
                    let (first, second) = (peaks[0][name] ?? 0, peaks[1][name] ?? 0)
                    #expect(first > 0 && second - first < Self.slack, "\(name): \(first) and \(second) bytes")
                }
                #expect(record.errors == [] && gateway.errors == [])
            }
        }

        /// Watches the memory while an honest user at another address resolves its link again and again.
        private static func watch(
            _ memory: MemoryWatch, while honest: GatewayClient, resolves link: String
        ) async throws -> [ServiceName: Int] {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { await memory.run() }
                defer { group.cancelAll() }
                let end = ContinuousClock.now + half
                while ContinuousClock.now < end {
                    let reply = try await honest.ask(
                        "records/resolve", in: "public", #"{"shortGUIDs":[{"value":"\#(link)"}]}"#,
                        headers: ["X-Forwarded-For": "192.0.2.2"])
                    #expect(reply.json["results"]?[0]?["participantStatus"] == "INVITED", "\(reply.text)")
                    // The honest user stays below the rate.
                    try await ContinuousClock().sleep(for: .milliseconds(250))
                }
                return memory.peak
            }
        }

        /// Sends a request with as many made-up links as a request may contain, or asks for the page of one.
        private static func guess(_ client: GatewayClient, _ guesses: Guesses) async throws {
            let links = (0..<100).map { _ in
                String((0..<24).map { _ in "abcdefghijklmnopqrstuvwxyz0123456789".randomElement() ?? "a" })
            }
            let headers = ["X-Forwarded-For": "192.0.2.1"]
            let values = links.map { #"{"value":"\#($0)"}"# }.joined(separator: ",")
            let endpoint = Bool.random() ? "records/resolve" : "records/accept"
            let reply = try await client.ask(
                endpoint, in: "public", #"{"shortGUIDs":[\#(values)]}"#, headers: headers)
            let page = try await AssetClient.get(client.stack.gatewayURL + "/share/\(links[0])", headers: headers)
            let findsNothing = reply.json["results"]?.array?.allSatisfy { $0.errorCode == "NOT_FOUND" } == true
            guesses.counts.withLock {
                $0.add(reply.status, finds: findsNothing, reply.text)
                $0.add(page.status, finds: true, page.text)
            }
        }
    }
}
