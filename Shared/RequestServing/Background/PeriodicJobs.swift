package import Logging
package import ServiceLifecycle

/// Jobs that a service runs again and again beside its requests, each at its own pace, until the service shuts down.
///
/// A run that fails is logged and tried again after the same pause. The end of the service cancels what is under way.
package struct PeriodicJobs: Service {
    /// One of them.
    package struct Job: Sendable {
        /// What is logged when a run fails.
        let name: String
        /// Before the first run.
        let delay: Duration
        /// The pause after a run that took that long.
        let pause: @Sendable (_ after: Duration) -> Duration
        let run: @Sendable () async throws -> Void

        /// A job with the same pause after every run.
        package init(
            _ name: String, every period: Duration, after delay: Duration = .zero,
            _ run: @escaping @Sendable () async throws -> Void
        ) {
            self.init(name, pause: { _ in period }, after: delay, run)
        }

        /// A job whose pause depends on how long the run took.
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

    /// Runs `jobs` side by side. Nothing runs before ``run()``.
    package init(_ jobs: [Job], clock: any Clock<Duration> = ContinuousClock(), logger: Logger) {
        (self.jobs, self.clock, self.logger) = (jobs, clock, logger)
    }

    /// Until graceful shutdown.
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
                "a background job failed; it is tried again", metadata: ["job": "\(job.name)", "error": "\(error)"])
        }
    }
}
