import Logging
import RequestServing
import Synchronization
import Testing

struct PeriodicJobsTests {
    private struct Failure: Error {}

    /// A clock whose sleeps end immediately and are recorded.
    private final class InstantClock: Clock {
        struct Instant: InstantProtocol {
            var offset = Duration.zero
            func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
            func duration(to other: Instant) -> Duration { other.offset - offset }
            static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
        }

        private let slept = Mutex<[Duration]>([])

        var now: Instant { Instant() }
        var minimumResolution: Duration { .nanoseconds(1) }
        var sleeps: [Duration] { slept.withLock { $0 } }

        func sleep(until deadline: Instant, tolerance: Duration?) async throws {
            slept.withLock { $0.append(deadline.offset) }
            await Task.yield()
        }
    }

    /// Runs a job that fails in each odd run until it has run four times, and returns the first four sleeps.
    private func sleeps(_ job: (@escaping @Sendable () async throws -> Void) -> PeriodicJobs.Job) async -> [Duration] {
        let (runs, run) = AsyncStream.makeStream(of: Void.self)
        let isOdd = Mutex(false)
        let clock = InstantClock()
        let job = job {
            run.yield()
            guard
                isOdd.withLock({ isOdd in
                    isOdd.toggle(); return !isOdd
                })
            else { throw Failure() }
        }
        let jobs = PeriodicJobs([job], clock: clock, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let running = Task { try await jobs.run() }
        var count = 0
        for await _ in runs {
            count += 1
            if count == 4 { break }
        }
        running.cancel()
        _ = await running.result
        return Array(clock.sleeps.prefix(4))
    }

    @Test func aJobRunsAfterItsDelayAndThenPeriodicallyAlsoWhenRunsFail() async {
        let sleeps = await sleeps { PeriodicJobs.Job("test", every: .seconds(5), after: .seconds(2), $0) }
        #expect(sleeps == [.seconds(2), .seconds(5), .seconds(5), .seconds(5)])
    }

    @Test func aJobMayDecideItsPauseAfterEachRun() async {
        let pauses = Mutex([Duration.seconds(4), .seconds(3), .seconds(2)])
        let sleeps = await sleeps { run in
            PeriodicJobs.Job(
                "test", pause: { _ in pauses.withLock { $0.isEmpty ? .seconds(1) : $0.removeFirst() } }, run)
        }
        #expect(sleeps.prefix(3) == [.seconds(4), .seconds(3), .seconds(2)])
    }
}
