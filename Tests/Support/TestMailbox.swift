import Synchronization

/// Collects what arrives, and lets a test wait until what it expects is there. Any thread.
package final class TestMailbox<Element: Sendable>: Sendable {
    private struct State {
        var elements: [Element] = []
        var bells: [Int: AsyncStream<Void>.Continuation] = [:]
        var lastBell = 0
    }

    private let state = Mutex(State())

    /// An empty mailbox.
    package init() {}

    /// Everything so far, in the order of arrival.
    package var elements: [Element] { state.withLock { $0.elements } }

    /// Adds an element and wakes the waiting tasks.
    package func add(_ element: Element) {
        let bells = state.withLock { state in
            state.elements.append(element)
            return Array(state.bells.values)
        }
        for bell in bells { bell.yield() }
    }

    /// Waits until `match` finds in everything so far what is wanted; it is asked again at each arrival.
    ///
    /// - Throws: ``TestFailure`` naming `what` after `limit`; `CancellationError`.
    package func wait<Found: Sendable>(
        for what: String, within limit: Duration = .seconds(60),
        _ match: @escaping @Sendable ([Element]) -> Found?
    ) async throws -> Found {
        try await within(limit, what) { [self] in
            let (rings, bell) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
            let number = state.withLock { state in
                state.lastBell += 1
                state.bells[state.lastBell] = bell
                return state.lastBell
            }
            defer { state.withLock { _ = $0.bells.removeValue(forKey: number) } }
            bell.yield()
            for await _ in rings {
                if let found = match(elements) { return found }
            }
            throw CancellationError()
        }
    }

    /// Waits for the first element that `matches`.
    ///
    /// - Throws: as ``wait(for:within:_:)``.
    package func first(
        _ what: String, within limit: Duration = .seconds(60),
        where matches: @escaping @Sendable (Element) -> Bool = { _ in true }
    ) async throws -> Element {
        try await wait(for: what, within: limit) { $0.first(where: matches) }
    }
}

/// Runs `body`, but no longer than `limit`, after which it is cancelled.
///
/// - Throws: what `body` throws; ``TestFailure`` naming `what` after `limit`.
package func within<Value: Sendable>(
    _ limit: Duration, _ what: String, _ body: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    try await withThrowingTaskGroup(of: Value.self) { group in
        group.addTask { try await body() }
        group.addTask {
            try await ContinuousClock().sleep(for: limit)
            throw TestFailure("waited \(limit) in vain: \(what)")
        }
        defer { group.cancelAll() }
        guard let value = try await group.next() else { throw CancellationError() }
        return value
    }
}
