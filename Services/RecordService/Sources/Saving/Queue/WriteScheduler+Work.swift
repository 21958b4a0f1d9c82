internal import DequeModule
package import RecordStorage

extension WriteScheduler {
    /// What a lane takes into one transaction.
    package struct Work {
        /// The requests, in order within each zone.
        package var requests: [Request]
        /// The zones that belong to the lane until it releases them.
        package var zones: [ZoneRow]
        /// Whether to wait for the zone's lock (then there is one zone only) instead of passing it over.
        package var waitsForLock: Bool
    }

    /// A request with what the scheduler has to know of it.
    package struct Entry {
        /// The request.
        package var request: Request
        /// Its zone.
        package var zone: ZoneRow
        /// Its weight.
        package var weight: Weight

        /// Creates an entry from its parts.
        package init(_ request: Request, zone: ZoneRow, weight: Weight) {
            (self.request, self.zone, self.weight) = (request, zone, weight)
        }
    }

    /// The weight of a request.
    package struct Weight: Sendable {
        /// The number of its operations.
        package var operations: Int
        /// The bytes of its body.
        package var bytes: Int
        /// Whether it is executed with no other work under way.
        package var isPoisonCandidate = false
        /// Whether it has a transaction to itself.
        package var isAlone = false
        /// Whether it waits for its zone however long that takes.
        package var isKept = false
        /// The environment, whose share of the requests that wait for missed zones it takes.
        package var environment = EnvironmentRow(0)

        /// Creates a weight from its parts.
        package init(
            operations: Int, bytes: Int, isPoisonCandidate: Bool = false, isAlone: Bool = false, isKept: Bool = false,
            environment: EnvironmentRow = EnvironmentRow(0)
        ) {
            self.operations = operations
            self.bytes = bytes
            self.isPoisonCandidate = isPoisonCandidate
            self.isAlone = isAlone
            self.isKept = isKept
            self.environment = environment
        }
    }
}

extension WriteScheduler {
    /// The waiting requests of a zone.
    struct ZoneQueue {
        var entries: Deque<Entry> = []
        var isTaken = false
        /// The requests of the zone that wait outside until the schema has what they need; the zone is theirs meanwhile.
        var awaitingSchema = 0
    }
}

extension WriteScheduler.Work: Sendable where Request: Sendable {}
extension WriteScheduler.Entry: Sendable where Request: Sendable {}
