import TestGenerators
import Testing

@testable import AMQPClient

@Suite struct ReconnectBackoffTests {
    @Test(arguments: 0..<10 as Range<UInt64>)
    func delaysDoubleUpToTheLimitWithinTheirUpperHalf(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var backoff = ReconnectBackoff(minimum: .milliseconds(100), maximum: .seconds(1))
        for ceiling in [100, 200, 400, 800, 1000, 1000] {
            let delay = backoff.next(using: &random)
            #expect(delay >= .milliseconds(ceiling) / 2)
            #expect(delay <= .milliseconds(ceiling))
        }
        backoff.reset()
        #expect(backoff.next(using: &random) <= .milliseconds(100))
    }

    @Test func manyAttemptsDoNotOverflow() {
        var random = SeededGenerator(seed: 1)
        var backoff = ReconnectBackoff(minimum: .seconds(1), maximum: .seconds(30))
        for _ in 0..<1000 {
            #expect(backoff.next(using: &random) <= .seconds(30))
        }
    }

    @Test func maximumBelowTheMinimumIsRaised() {
        var random = SeededGenerator(seed: 1)
        var backoff = ReconnectBackoff(minimum: .seconds(2), maximum: .seconds(1))
        #expect(backoff.next(using: &random) >= .seconds(1))
    }
}
