import Synchronization

/// Collects elements as they arrive, and lets a test wait for the ones that it expects. May be used on any thread.
package final class TestMailbox<Element: Sendable>: Sendable {
    private struct State {
        var elements: [Element] = []
        var bells: [Int: AsyncStream<Void>.Continuation] = [:]
        var lastBell = 0
    }

    private let state = Mutex(State())

    /// Creates an empty mailbox.
    package init() {}

    /// All elements so far, in the order of arrival.
    package var elements: [Element] { state.withLock { $0.elements } }

    /// Adds an element and wakes the waiting tasks.
    package func add(_ element: Element) {
        let bells = state.withLock { state in
            state.elements.append(element)
            return Array(state.bells.values)
        }
        for bell in bells { bell.yield() }
    }

    /// Waits until `match` returns a value for the elements so far. It is called again whenever an element arrives.
    ///
    /// - Throws: after `limit`, a ``TestFailure`` that names `what`; `CancellationError`.
    package func wait<Found: Sendable>(
        for what: String, within limit: Duration = .seconds(20),
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

    /// Waits for the first element for which `matches` is true.
    ///
    /// - Throws: the errors of ``wait(for:within:_:)``.
    package func first(
        _ what: String, within limit: Duration = .seconds(20),
        where matches: @escaping @Sendable (Element) -> Bool = { _ in true }
    ) async throws -> Element {
        try await wait(for: what, within: limit) { $0.first(where: matches) }
    }
}

/// Runs `body`, and cancels it after `limit`.
///
/// - Throws: the errors of `body`; ``TestFailure`` that names `what` after `limit`.
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
