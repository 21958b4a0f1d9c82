import Synchronization
import TestSupport

/// Sends the cases of a deck, several concurrently.
struct HostileAttack: Sendable {
    /// The number of requests that are in progress at the same time.
    private static let width = 16

    let deck: HostileDeck
    let ground: HostileGround
    let verdict: HostileVerdict

    /// Sends cases for the duration `time`, starting with the number `first`.
    ///
    /// - Parameter rate: the number of requests per second; nil to send the next request whenever one is answered.
    /// - Returns: the number of requests per second that were sent, and the number after the last case.
    /// - Throws: ``TestFailure`` if a server cannot be reached.
    func run(from first: Int, for time: Duration, rate: Double? = nil) async throws -> (rate: Double, next: Int) {
        let clock = ContinuousClock()
        let begin = clock.now
        let numbers = CaseNumbers(from: first)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<Self.width {
                group.addTask {
                    var broker = BrokerAttack(on: ground)
                    while true {
                        let number = numbers.next()
                        let turn = begin + .seconds(rate.map { Double(number - first) / $0 } ?? 0)
                        guard max(turn, clock.now) < begin + time else { return }
                        try await clock.sleep(until: turn)
                        try await send(number, &broker)
                    }
                }
            }
            try await group.waitForAll()
        }
        let sent = numbers.next() - Self.width - first
        return (Double(sent) / ((clock.now - begin) / .seconds(1)), first + sent)
    }

    /// Sends one case.
    ///
    /// - Throws: ``TestFailure`` if a server cannot be reached.
    func send(_ number: Int, _ broker: inout BrokerAttack) async throws {
        guard let hostile = deck.case(number) else { return }
        var generator = hostile.generator
        let begin = ContinuousClock.now
        let outcome: HostileOutcome =
            switch (hostile.request?.transport, hostile.kind) {
            case (.broker, _): try await broker.send(hostile)
            case (.gateway, _): try await GatewayAttack(ground: ground).send(hostile)
            case (nil, .brokerFrames): try await FrameAttack(ground: ground).broker(&generator)
            case (nil, .httpFrames): try await FrameAttack(ground: ground).http(&generator)
            case (nil, let kind): try await KnownAttacks(ground: ground).strike(kind, number: number, &generator)
            }
        verdict.add(hostile, outcome, after: ContinuousClock.now - begin) { reproduction(hostile) }
    }

    /// Describes a case in one line, with the command that sends it again.
    private func reproduction(_ hostile: HostileCase) -> String {
        let sent =
            hostile.transport == "AMQP"
            ? BrokerAttack.describe(hostile, on: ground) : GatewayAttack.describe(hostile, on: ground)
        return """
            \(hostile.transport) \(hostile.operation), \(hostile.kind.rawValue) at \(hostile.place): ZONDA_TEST_HOSTILE_SEED=\
            \(ground.seed) ZONDA_TEST_HOSTILE_CASE=\(hostile.number) deploy/test HostileTests
              \(sent)
            """
    }
}

/// Returns the numbers of the cases in order. May be used on any thread.
private final class CaseNumbers: Sendable {
    private let last: Atomic<Int>

    init(from first: Int) { last = Atomic(first) }

    func next() -> Int { last.add(1, ordering: .relaxed).oldValue }
}
