package import Logging
internal import ServiceLifecycle

/// The background jobs that a service runs periodically, each at its own interval, until it shuts down.
///
/// A run that fails is logged, and the job runs again after the usual pause. Shutdown cancels the runs in progress.
package struct PeriodicJobs: Service {
    /// A periodic job.
    package struct Job: Sendable {
        /// The job's name in the log.
        let name: String
        /// The delay before the first run.
        let delay: Duration
        /// Returns the pause after a run that took the given time.
        let pause: @Sendable (_ after: Duration) -> Duration
        let run: @Sendable () async throws -> Void

        /// Creates a job with the same pause after every run.
        package init(
            _ name: String, every period: Duration, after delay: Duration = .zero,
            _ run: @escaping @Sendable () async throws -> Void
        ) {
            self.init(name, pause: { _ in period }, after: delay, run)
        }

        /// Creates a job whose pause depends on the duration of the last run.
        package init(
            _ name: String, pause: @escaping @Sendable (_ after: Duration) -> Duration, after delay: Duration = .zero,
            _ run: @escaping @Sendable () async throws -> Void
        ) {
            (self.name, self.delay, self.pause, self.run) = (name, delay, pause, run)
        }
    }

    private let jobs: [Job]
    private let clock: any Clock<Duration>
    private let logger: Logger

    /// Creates a service that runs `jobs` concurrently. No job runs before ``run()`` is called.
    package init(_ jobs: [Job], clock: any Clock<Duration> = ContinuousClock(), logger: Logger) {
        (self.jobs, self.clock, self.logger) = (jobs, clock, logger)
    }

    /// Runs the jobs until graceful shutdown.
    package func run() async throws {
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                for job in jobs { group.addTask { await repeatedly(job) } }
            }
        }
    }

    private func repeatedly(_ job: Job) async {
        if job.delay > .zero { try? await clock.sleep(for: job.delay) }
        while !Task.isCancelled {
            let time = await ContinuousClock().measure { await attempt(job) }
            try? await clock.sleep(for: job.pause(time))
        }
    }

    private func attempt(_ job: Job) async {
        do {
            try await job.run()
        } catch {
            guard !Task.isCancelled else { return }
            logger.warning(
                "a background job failed and will be retried", metadata: ["job": "\(job.name)", "error": "\(error)"])
        }
    }
}
