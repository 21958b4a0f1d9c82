/// When a request is repeated without the application's doing.
///
/// As in Apple's framework, an application decides itself about an error with `retryAfterSeconds`. Only work that the
/// framework schedules, such as the sync engine's, waits for that time and repeats the request.
struct RetryPolicy: Sendable {
    /// Which errors a request survives.
    enum Patience: Hashable, Sendable {
        /// A connection that is refused or lost, a few times within seconds.
        case brief
        /// The same, until this time has passed.
        case network(Duration)
        /// In addition, a server that is busy or unavailable, until this time has passed.
        case until(Duration)
    }

    /// The number of attempts on a connection that is refused or lost.
    var maxAttempts = 4
    /// The delay before the second attempt. It doubles with each further attempt.
    var firstDelay: Duration = .milliseconds(100)
    /// The longest delay between two attempts, unless the server names a longer one.
    var maxDelay: Duration = .seconds(60)
    /// Returns a number from 0 to 1 that spreads the clients.
    var jitter: @Sendable () -> Double = { Double.random(in: 0...1) }
    /// Waits.
    var sleep: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }

    /// Returns how long to wait before the next attempt; nil if the error is final.
    ///
    /// - Parameters:
    ///   - attempt: the number of attempts so far.
    ///   - elapsed: the time since the first attempt began.
    ///   - isLost: whether the connection was refused or lost, so that the server did not answer.
    func delay(
        after attempt: Int, _ error: CKError, isLost: Bool, elapsed: Duration, patience: Patience
    ) -> Duration? {
        let step = min(maxDelay, firstDelay * (1 << min(attempt - 1, 16)))
        switch patience {
        case .brief:
            guard isLost, attempt < maxAttempts else { return nil }
            return step * (0.5 + jitter() / 2)
        case .network(let limit):
            let delay = step * (0.5 + jitter() / 2)
            return isLost && elapsed + delay <= limit ? delay : nil
        case .until(let limit):
            let isBusy = [.serviceUnavailable, .requestRateLimited, .zoneBusy].contains(error.code)
            guard isLost || isBusy else { return nil }
            // Never before the time that the server names.
            let named = Duration.seconds(error.retryAfterSeconds ?? 0)
            let delay = max(named, step * 0.5) + max(named * 0.25, step * 0.5) * jitter()
            return elapsed + delay <= limit ? delay : nil
        }
    }

    /// Waits before the next attempt.
    ///
    /// - Throws: ``CKError/Code/operationCancelled`` if the task was cancelled.
    func pause(_ delay: Duration) async throws(CKError) {
        do {
            try await sleep(delay)
        } catch {
            throw CKError(.operationCancelled, "The operation was cancelled.")
        }
    }
}
