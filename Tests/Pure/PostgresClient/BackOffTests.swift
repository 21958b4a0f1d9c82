import Testing

@testable import PostgresClient

struct BackOffTests {
    private let backOff = BackOff(initial: .milliseconds(100), limit: .seconds(1))

    @Test func theBackOffDoublesFromAttemptToAttemptUpToItsLimit() {
        let delays = (1...6).map { backOff.delay(afterFailures: $0, random: 1) }
        #expect(
            delays == [
                .milliseconds(100), .milliseconds(200), .milliseconds(400), .milliseconds(800), .seconds(1),
                .seconds(1),
            ])
    }

    @Test func jitterShortensItByUpToHalf() {
        #expect(backOff.delay(afterFailures: 1, random: 0) == .milliseconds(50))
        #expect(backOff.delay(afterFailures: 1, random: 0.5) == .milliseconds(75))
    }

    @Test func anyNumberOfFailuresIsFine() {
        #expect(backOff.delay(afterFailures: .max, random: 1) == .seconds(1))
        #expect(backOff.delay(afterFailures: 0, random: 1) == .milliseconds(100))
    }
}
