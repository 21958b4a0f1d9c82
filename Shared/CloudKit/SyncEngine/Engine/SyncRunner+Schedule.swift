internal import Synchronization

extension SyncRunner {
    /// Begins to synchronize automatically.
    func startSchedule() {
        beginAgain()
        restartListener()
        let loop = Task { [weak self] in
            while !Task.isCancelled {
                guard let sleeper = await self?.runWhatIsDue() else { return }
                await withTaskCancellationHandler {
                    await sleeper.value
                } onCancel: {
                    sleeper.cancel()
                }
            }
        }
        inner.withLock { $0.tasks.append(loop) }
    }

    /// Fetches everything, and sends what is pending.
    func beginAgain() {
        let hasPending = state.content.withLock { $0.hasPendingChanges }
        reschedule { $0.begin(hasPendingChanges: hasPending, at: $1) }
    }

    /// Changes the schedule, and has it looked at.
    func reschedule(_ change: (inout SyncSchedule, Duration) -> Void) {
        let now = clock.now()
        inner.withLock { inner in
            change(&inner.schedule, now)
            inner.sleeper?.cancel()
        }
    }

    /// Runs what is due. Returns a task that ends when something is due again, or the schedule has changed; nil if the
    /// engine was released.
    private func runWhatIsDue() async -> Task<Void, Never>? {
        while !Task.isCancelled {
            let now = clock.now()
            let (due, sleeper) = inner.withLock { inner -> (SyncSchedule.Task?, Task<Void, Never>?) in
                let next = inner.schedule.next
                if let next, next.at <= now {
                    inner.schedule.began(next.task)
                    return (next.task, nil)
                }
                let pause = next.map { $0.at - now } ?? .seconds(365 * 24 * 3600)
                let sleeper = Task { [clock] in await clock.sleep(pause) }
                inner.sleeper = sleeper
                return (nil, sleeper)
            }
            if let sleeper { return sleeper }
            guard let due, let engine else { return nil }
            await run(due, of: engine)
        }
        return nil
    }

    private func run(_ task: SyncSchedule.Task, of engine: CKSyncEngine) async {
        let hasProgress = Locked(false)
        var failure: CKError?
        do throws(CKError) {
            switch task {
            case .fetch: try await engine.fetch(.init(), .scheduled)
            case .send: try await engine.send(.init(), .scheduled) { hasProgress.withLock { $0 = true } }
            }
        } catch {
            failure = error
        }
        let hasMore = task == .fetch || state.content.withLock { $0.hasPendingChanges }
        let jitter = clock.jitter()
        reschedule { [failure] schedule, now in
            schedule.ended(
                task, failure, hasMore: hasMore, hasProgress: hasProgress.copy, at: now, jitter: jitter)
        }
    }

    /// Begins to listen for notices, again if it already does.
    func restartListener() {
        let listener = Task { [transport, clock, weak self] in
            var failures = 0
            while !Task.isCancelled {
                let heard = Locked(false)
                try? await transport.listen { [weak self] notice in
                    let isFirst = heard.withLock { heard in
                        defer { heard = true }
                        return !heard
                    }
                    switch notice {
                    // Changes may have been missed while the engine did not listen; and the server can be reached.
                    case .changed where isFirst: self?.beginAgain()
                    case .changed: self?.reschedule { $0.serverChanged(at: $1) }
                    case .accountChanged: self?.accountMayHaveChanged()
                    }
                }
                failures = heard.copy ? 1 : failures + 1
                await clock.sleep(
                    min(SyncSchedule.firstDelay * (1 << min(failures - 1, 10)), SyncSchedule.maxDelay)
                        * (0.5 + clock.jitter() / 2))
            }
        }
        let former = inner.withLock { inner in
            defer { inner.listener = listener }
            return inner.listener
        }
        former?.cancel()
    }
}
