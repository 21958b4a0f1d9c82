internal import Synchronization

/// Carries out what the machines of an engine decide: sends the requests, calls the delegate, and waits.
///
/// Attempts run one at a time, and so do calls of the delegate.
final class SyncRunner: Sendable {
    private struct WeakEngine {
        weak var engine: CKSyncEngine?
        weak var delegate: (any CKSyncEngineDelegate)?
    }

    struct Inner {
        /// Increases when another user may be signed in.
        var accountGeneration = 1
        /// The generation that the account was last checked in.
        var checkedGeneration = 0
        /// The task in which the delegate is being called.
        var delegateTask: Int?
        /// Whether the application has changed the state since it was last handed over.
        var isChanged = false
        /// Whether a task exists that will hand over the state.
        var isUpdatePosted = false
        var nextAttempt = 0
        var attempts: [Int: Task<Void, any Error>] = [:]
        var schedule = SyncSchedule()
        /// The task that ends when the schedule must be looked at again.
        var sleeper: Task<Void, Never>?
        var listener: Task<Void, Never>?
        var tasks: [Task<Void, Never>] = []
    }

    let state: CKSyncEngine.State
    let transport: SyncTransport
    let clock: SyncClock
    let isAutomatic: Bool
    let inner = Mutex(Inner())
    private let attempts = SerialLane()
    private let turns = SerialLane()
    private let weak = Locked(WeakEngine())

    init(_ state: CKSyncEngine.State, _ transport: SyncTransport, _ clock: SyncClock, isAutomatic: Bool) {
        (self.state, self.transport, self.clock, self.isAutomatic) = (state, transport, clock, isAutomatic)
    }

    /// Begins to work for an engine. Neither the engine nor the delegate is kept alive.
    func start(for engine: CKSyncEngine, _ delegate: any CKSyncEngineDelegate) {
        weak.withLock { $0 = WeakEngine(engine: engine, delegate: delegate) }
        state.whenChanged { [weak self] hasMore in self?.stateWasChanged(hasMore) }
        let watcher = Task { [transport, weak self] in
            await transport.watchAccount { [weak self] in self?.accountMayHaveChanged() }
        }
        inner.withLock { $0.tasks.append(watcher) }
        if isAutomatic { startSchedule() }
    }

    /// Ends all work. Called when the engine is released.
    func stop() {
        state.whenChanged(nil)
        inner.withLock { inner in
            for task in inner.tasks { task.cancel() }
            for attempt in inner.attempts.values { attempt.cancel() }
            inner.listener?.cancel()
            inner.sleeper?.cancel()
        }
    }

    /// The engine; nil if it was released.
    var engine: CKSyncEngine? { weak.withLock { $0.engine } }

    // MARK: - Attempts

    /// Runs an attempt when those before it have ended.
    func attempt(
        _ work: @escaping @Sendable (SyncRunner) async throws(CKError) -> Void
    ) async throws(CKError) {
        try refuseRecursion()
        let (number, task) = inner.withLock { inner in
            inner.nextAttempt += 1
            let task = Task { [self] in try await attempts.run { () async throws(CKError) in try await work(self) } }
            inner.attempts[inner.nextAttempt] = task
            return (inner.nextAttempt, task)
        }
        defer { inner.withLock { _ = $0.attempts.removeValue(forKey: number) } }
        do {
            try await withTaskCancellationHandler {
                try await task.value
            } onCancel: {
                task.cancel()
            }
        } catch {
            let error = CKError(wrapping: error)
            if error.code == .notAuthenticated { inner.withLock { $0.checkedGeneration = 0 } }
            throw error
        }
    }

    /// Cancels all attempts, and waits until they have ended.
    func cancelAttempts() async {
        let running = inner.withLock { inner in
            inner.schedule.clear()
            for attempt in inner.attempts.values { attempt.cancel() }
            return Array(inner.attempts.values)
        }
        // The delegate's own task would wait for itself.
        if isDelegateTask { return }
        for attempt in running { _ = await attempt.result }
    }

    private var isDelegateTask: Bool {
        let current = withUnsafeCurrentTask { $0?.hashValue }
        return current != nil && inner.withLock { $0.delegateTask } == current
    }

    /// The delegate cannot wait for an attempt, which would wait for the delegate.
    private func refuseRecursion() throws(CKError) {
        guard isDelegateTask else { return }
        throw CKError(
            .invalidArguments,
            "A delegate of CKSyncEngine must not await fetchChanges or sendChanges. Call them in a detached task.")
    }

    // MARK: - Calls of the delegate

    /// Hands over events, one after the other, each together with its changes of the state.
    ///
    /// - Throws: ``CKError/Code/operationCancelled`` if the engine or its delegate no longer exists.
    func handOver(_ handOvers: [HandOver]) async throws(CKError) {
        for handOver in handOvers {
            try await turn { engine, delegate in
                change(handOver.before)
                if let event = handOver.event { await delegate.handleEvent(event, syncEngine: engine) }
                change(handOver.after)
                await handOverState(engine, delegate)
            }
        }
    }

    /// Calls the delegate when the calls before have returned.
    func turn<Value: Sendable>(
        _ body: (CKSyncEngine, any CKSyncEngineDelegate) async -> Value
    ) async throws(CKError) -> Value {
        var value: Value?
        await turns.runAlways {
            guard let (engine, delegate) = participants else { return }
            inner.withLock { $0.delegateTask = withUnsafeCurrentTask { $0?.hashValue } }
            value = await body(engine, delegate)
            inner.withLock { $0.delegateTask = nil }
        }
        guard let value else {
            throw CKError(.operationCancelled, "The engine or its delegate no longer exists.")
        }
        return value
    }

    private var participants: (CKSyncEngine, any CKSyncEngineDelegate)? {
        weak.withLock { weak in
            guard let engine = weak.engine, let delegate = weak.delegate else { return nil }
            return (engine, delegate)
        }
    }

    private func change(_ transitions: [SyncTransition]) {
        guard !transitions.isEmpty else { return }
        state.content.withLock { state in
            for transition in transitions { state.apply(transition) }
        }
        inner.withLock { $0.isChanged = true }
    }

    /// Hands over the state if it has changed. It is read in the delegate's turn: an earlier copy could lack changes that
    /// the delegate has added when it was told of their failure.
    private func handOverState(_ engine: CKSyncEngine, _ delegate: any CKSyncEngineDelegate) async {
        let isChanged = inner.withLock { inner in
            defer { inner.isChanged = false }
            return inner.isChanged
        }
        guard isChanged else { return }
        let update = CKSyncEngine.Event.StateUpdate(stateSerialization: .init(state.content.copy))
        await delegate.handleEvent(.stateUpdate(update), syncEngine: engine)
    }

    private func stateWasChanged(_ hasMore: Bool) {
        let isPosted = inner.withLock { inner in
            inner.isChanged = true
            defer { inner.isUpdatePosted = true }
            return inner.isUpdatePosted
        }
        if !isPosted {
            Task { [self] in
                try? await turn { engine, delegate in
                    inner.withLock { $0.isUpdatePosted = false }
                    await handOverState(engine, delegate)
                }
            }
        }
        if hasMore, isAutomatic { reschedule { $0.changesWereAdded(at: $1) } }
    }
}
