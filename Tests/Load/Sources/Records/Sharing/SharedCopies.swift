import CommandLineSession
import Synchronization

/// Keeps the copies of all participants up to date while a load runs.
final class SharedCopies: Sendable {
    /// The time between two rounds of a participant.
    private static let pause: Duration = .milliseconds(200)

    private let copies: [SharedCopy]
    private let hasEnded = Mutex(false)

    /// Creates the copies of the participants of a load.
    ///
    /// - Parameter producers: the users of each producer. The participants read over the connections in turn.
    init(_ producers: [LoadUsers], plan: LoadPlan) {
        let participants = producers.first?.participants.indices ?? 0..<0
        copies = participants.map { number in
            let users = producers[number % producers.count]
            return SharedCopy(
                of: users.participants[number], owner: users.ownerName, names: plan.names,
                zones: plan.places.sharedZones.count, limit: plan.requestLimit)
        }
    }

    /// Reads the feeds again and again until ``end()`` is called. A failed round is repeated: a copy continues with its
    /// last token.
    ///
    /// - Returns: the copies, in the order of the participants.
    func follow() async -> [SharedCopy] {
        await LoadSlots.run(copies.count, tick: {}) { [self] number in
            var copy = copies[number]
            while !hasEnded.withLock({ $0 }), !Task.isCancelled {
                try? await copy.catchUp()
                try? await ContinuousClock().sleep(for: Self.pause)
            }
            return copy
        }
    }

    /// Ends ``follow()`` after the current round.
    func end() { hasEnded.withLock { $0 = true } }
}
