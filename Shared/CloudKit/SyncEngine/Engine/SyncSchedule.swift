/// Decides when an engine that synchronizes automatically fetches and sends. It neither waits nor reads a clock: moments
/// are durations since the engine began.
struct SyncSchedule: Equatable {
    /// What an engine does at a moment.
    enum Task: Equatable, Sendable {
        case fetch
        case send
    }

    /// How long the engine waits after a change, so that changes in quick succession are sent together.
    static let quiet: Duration = .milliseconds(200)
    /// The delay after the first failure. It doubles with each further failure.
    static let firstDelay: Duration = .seconds(2)
    /// The longest delay after a failure, unless the server demands more.
    static let maxDelay: Duration = .seconds(300)

    private var fetchDue: Duration?
    private var sendDue: Duration?
    /// The attempts in a row that failed.
    private var failures = 0
    /// The attempts to send in a row in which every change failed with an error of the application.
    private var rejections = 0
    /// The moment before which nothing is attempted.
    private var pausedUntil: Duration = .zero

    /// The engine begins, or may have missed notices: everything is to be fetched. Also ends a pause, because the server
    /// was reached, or another user is signed in.
    mutating func begin(hasPendingChanges: Bool, at now: Duration) {
        (failures, pausedUntil) = (0, now)
        fetchDue = now
        if hasPendingChanges { sendDue = now }
    }

    /// Something has changed on the server.
    mutating func serverChanged(at now: Duration) { fetchDue = fetchDue ?? now + Self.quiet }

    /// The application has added changes.
    mutating func changesWereAdded(at now: Duration) { sendDue = sendDue ?? now + Self.quiet }

    /// Forgets everything that is due.
    mutating func clear() { (fetchDue, sendDue) = (nil, nil) }

    /// What is due next, and when. Fetching comes first, because it avoids conflicts.
    var next: (task: Task, at: Duration)? {
        switch (fetchDue, sendDue) {
        case (let fetch?, let send?) where fetch <= max(send, pausedUntil): (.fetch, max(fetch, pausedUntil))
        case (_, let send?): (.send, max(send, pausedUntil))
        case (let fetch?, nil): (.fetch, max(fetch, pausedUntil))
        case (nil, nil): nil
        }
    }

    /// An attempt begins.
    mutating func began(_ task: Task) {
        switch task {
        case .fetch: fetchDue = nil
        case .send: sendDue = nil
        }
    }

    /// An attempt has ended.
    ///
    /// - Parameters:
    ///   - hasMore: whether changes are pending, or changes of zones have not been fetched.
    ///   - hasProgress: whether an attempt to send has saved or deleted something.
    ///   - jitter: a random number from 0 to 1.
    mutating func ended(
        _ task: Task, _ error: CKError?, hasMore: Bool, hasProgress: Bool, at now: Duration, jitter: Double
    ) {
        guard let error else {
            (failures, rejections) = (0, task == .send ? 0 : rejections)
            return
        }
        guard error.code != .operationCancelled else { return }
        if task == .send, error.code == .partialFailure, error.partialErrors.allSatisfy({ !$0.isHandledBySyncEngine }) {
            // The application has heard of the errors. What it has added again is sent soon, unless it fails every time.
            failures = 0
            rejections = hasProgress ? 0 : rejections + 1
            guard hasMore else { return }
            sendDue = now + (rejections <= 1 ? Self.quiet : Self.delay(after: rejections - 1, jitter))
            return
        }
        failures += 1
        let demanded = ([error] + error.partialErrors).compactMap(\.retryAfterSeconds).max() ?? 0
        let delay = max(Self.delay(after: failures, jitter), .seconds(demanded))
        pausedUntil = now + delay
        switch task {
        case .fetch: fetchDue = pausedUntil
        case .send: if hasMore { sendDue = pausedUntil }
        }
    }

    private static func delay(after failures: Int, _ jitter: Double) -> Duration {
        min(firstDelay * (1 << min(failures - 1, 10)), maxDelay) * (0.5 + jitter / 2)
    }
}

extension CKError {
    /// The errors of the items of a partial failure.
    fileprivate var partialErrors: [CKError] { partialErrorsByItemID?.values.compactMap { $0 as? CKError } ?? [] }
}
