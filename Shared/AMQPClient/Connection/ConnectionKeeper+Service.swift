import ServiceLifecycle

extension ConnectionKeeper {
    /// Runs until graceful shutdown or cancellation is asked for and the role has ended accordingly.
    nonisolated func run<Item>(endingWith inbox: Inbox<Item>) async {
        await withTaskCancellationHandler {
            await withGracefulShutdownHandler {
                await run()
            } onGracefulShutdown: {
                inbox.end(.graceful)
            }
        } onCancel: {
            inbox.end(.immediate)
        }
    }
}
