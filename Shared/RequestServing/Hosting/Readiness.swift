internal import PostgresClient
internal import ServiceLifecycle
internal import Synchronization

/// The state that `/health/ready` reports. As the last service in the group, it is the first to be notified of a
/// shutdown.
final class Readiness: Service {
    private enum State {
        case preparing(String)
        case serving(ServiceParts)
        case stopping
    }

    private let pool: PostgresPool
    private let state = Mutex(State.preparing("the database is being prepared"))

    init(pool: PostgresPool) { self.pool = pool }

    func prepare(_ reason: String) { state.withLock { $0 = .preparing(reason) } }

    func serve(_ parts: ServiceParts) { state.withLock { $0 = .serving(parts) } }

    func run() async throws {
        try? await gracefulShutdown()
        state.withLock { $0 = .stopping }
    }

    func reasonsNotReady() async -> [String] {
        switch state.withLock({ $0 }) {
        case .preparing(let reason): return [reason] + [connectionAdvice].compactMap { $0 }
        case .stopping: return ["stopping"]
        case .serving(let parts):
            var reasons = await parts.reasonsNotReady()
            if !(await databaseAnswers()) {
                reasons.append(connectionAdvice ?? "the database cannot be reached")
            }
            return reasons
        }
    }

    /// Advice about failed database connections; nil if the last attempt succeeded.
    private var connectionAdvice: String? { pool.connectFailure?.connectionAdvice }

    /// Returns whether the database answers within two seconds. The limit is short because the client that checks
    /// readiness also has a timeout.
    private func databaseAnswers() async -> Bool {
        await withTaskGroup(of: Bool.self) { group in
            group.addTask { [pool] in
                (try? await pool.withConnection { try await $0.query("select 1") }) != nil
            }
            group.addTask {
                try? await Task.sleep(for: .seconds(2))
                return false
            }
            defer { group.cancelAll() }
            return await group.next() ?? false
        }
    }
}
