import ServiceLifecycle

extension ConnectionKeeper {
    /// Runs until the role has finished, after a graceful shutdown or a cancellation.
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
