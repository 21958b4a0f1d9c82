internal import ServiceLifecycle

/// The tasks between a consumer of requests and the publisher of answers. They end by themselves when the consumer does.
package struct RequestWork: Service {
    private let intake: RequestIntake
    private let workers: RequestWorkers

    /// The work of an intake that hands its requests to `workers`.
    package init(intake: RequestIntake, workers: RequestWorkers) {
        self.intake = intake
        self.workers = workers
    }

    /// Until the consumer has ended and everything that it brought is answered.
    package func run() async throws {
        await withDiscardingTaskGroup { group in
            group.addTask {
                await intake.run()
                workers.finish()
            }
            group.addTask { await workers.run() }
        }
        // The group stops its services in order, and this one waits for its turn.
        try? await gracefulShutdown()
    }
}
