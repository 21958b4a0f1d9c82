import ServiceLifecycle

extension ConnectionKeeper {
    /// Runs until graceful shutdown or cancellation is requested and the role has finished accordingly.
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
