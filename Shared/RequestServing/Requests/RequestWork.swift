internal import ServiceLifecycle

/// The tasks between the request consumer and the answer publisher. They end after the consumer has ended.
package struct RequestWork: Service {
    private let intake: RequestIntake
    private let workers: RequestWorkers

    /// Creates a service that runs `intake` and `workers`; `intake` must pass its requests to `workers`.
    package init(intake: RequestIntake, workers: RequestWorkers) {
        self.intake = intake
        self.workers = workers
    }

    /// Runs until the consumer has ended and all of its requests are answered.
    package func run() async throws {
        await withDiscardingTaskGroup { group in
            group.addTask {
                await intake.run()
                workers.finish()
            }
            group.addTask { await workers.run() }
        }
        // A service in the group must not end before the group stops it.
        try? await gracefulShutdown()
    }
}
