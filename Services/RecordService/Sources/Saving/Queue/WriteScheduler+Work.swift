internal import DequeModule
package import RecordStorage

extension WriteScheduler {
    /// The requests that a lane executes in one transaction.
    package struct Work {
        /// The requests, in order within each zone.
        package var requests: [Request]
        /// The zones that belong to the lane until it releases them.
        package var zones: [ZoneRow]
        /// Whether to wait for the zone's lock instead of skipping the zone. If so, the work has only one zone.
        package var waitsForLock: Bool
    }

    /// A request with the values that the scheduler needs.
    package struct Entry {
        /// The request.
        package var request: Request
        /// The zone of the request.
        package var zone: ZoneRow
        /// The weight of the request.
        package var weight: Weight

        /// Creates an entry from its parts.
        package init(_ request: Request, zone: ZoneRow, weight: Weight) {
            (self.request, self.zone, self.weight) = (request, zone, weight)
        }
    }

    /// The weight of a request.
    package struct Weight: Sendable {
        /// The number of operations.
        package var operations: Int
        /// The size of the body, in bytes.
        package var bytes: Int
        /// Whether the request can start only when no other work is under way.
        package var isPoisonCandidate = false
        /// Whether the request gets its own transaction.
        package var isAlone = false
        /// Whether the request waits for its zone without a time limit.
        package var isKept = false
        /// The environment of the request. ``HeldBounds`` limits the waiting requests of each environment.
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
        /// The number of requests for the zone that are waiting outside the scheduler for a schema extension. Until
        /// they are done, the zone remains taken.
        var awaitingSchema = 0
    }
}

extension WriteScheduler.Work: Sendable where Request: Sendable {}
extension WriteScheduler.Entry: Sendable where Request: Sendable {}
