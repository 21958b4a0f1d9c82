internal import Logging
internal import ServiceLifecycle

/// Builds indexes, which may take hours: beside the rest of the maintenance, which goes on meanwhile.
struct IndexBuilds: Service {
    /// Between two looks for jobs.
    private static let interval = Duration.seconds(5)

    let builder: IndexBuilder
    let logger: Logger

    /// Until graceful shutdown; a build is broken off, and begun anew by whoever comes next.
    func run() async throws {
        try? await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                do {
                    while try await builder.runOnce() {}
                } catch {
                    logger.warning("building indexes failed; it is tried again", metadata: ["error": "\(error)"])
                }
                try await Task.sleep(for: Self.interval)
            }
        }
    }
}
