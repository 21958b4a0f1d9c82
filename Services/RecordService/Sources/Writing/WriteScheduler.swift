internal import DequeModule

/// Which requests go into which transaction. A zone is in one lane at a time, so that no two of our own transactions
/// meet at its lock, and a hot zone keeps one lane busy while the others go on. A value without clocks or tasks.
package struct WriteScheduler<Request> {
    /// What a lane takes into one transaction.
    package struct Work {
        /// The requests, in order within each zone.
        package var requests: [Request]
        /// The zones that are this lane's until it releases them.
        package var zones: [ZoneRow]
        /// Whether to wait for the zone's lock (one zone only) instead of passing it over.
        package var waitsForLock: Bool
    }

    /// What a request weighs.
    package struct Weight: Sendable {
        /// Operations in it.
        package var operations: Int
        /// Bytes of its body.
        package var bytes: Int
        /// Whether it is executed alone.
        package var isSuspect: Bool

        /// A weight of that much.
        package init(operations: Int, bytes: Int, isSuspect: Bool) {
            self.operations = operations
            self.bytes = bytes
            self.isSuspect = isSuspect
        }
    }

    private struct ZoneQueue {
        var requests: Deque<(request: Request, weight: Weight)> = []
        var isTaken = false
        var timesSkipped = 0
    }

    /// A zone whose lock was missed this often is waited for alone.
    package static var maxSkips: Int { 3 }

    private let maxOperations: Int
    private let maxBytes: Int
    private var zones: [ZoneRow: ZoneQueue] = [:]
    private var ready: Deque<ZoneRow> = []
    /// Requests that wait for a lane.
    package private(set) var waitingCount = 0

    /// A scheduler with those bounds of one transaction; a single request may be over them.
    package init(maxOperations: Int, maxBytes: Int) {
        self.maxOperations = maxOperations
        self.maxBytes = maxBytes
    }

    /// Whether nothing waits and nothing is taken.
    package var isIdle: Bool { zones.isEmpty }

    /// Whether ``take()`` would return work.
    package var hasReady: Bool { !ready.isEmpty }

    /// Puts a request behind the others of its zone.
    package mutating func add(_ request: Request, zone: ZoneRow, weight: Weight) {
        waitingCount += 1
        zones[zone, default: ZoneQueue()].requests.append((request, weight))
        if zones[zone]?.isTaken == false, zones[zone]?.requests.count == 1 { ready.append(zone) }
    }

    /// Whatever waits, up to the bounds; nil when nothing does.
    package mutating func take() -> Work? {
        var work = Work(requests: [], zones: [], waitsForLock: false)
        var operations = 0
        var bytes = 0
        while let zone = ready.first, var queue = zones[zone] {
            let mustBeAlone = queue.timesSkipped >= Self.maxSkips || queue.requests.first?.weight.isSuspect == true
            if mustBeAlone, !work.zones.isEmpty { break }
            let countBefore = work.requests.count
            while let (request, weight) = queue.requests.first {
                let isSuspect = weight.isSuspect
                if !work.requests.isEmpty {
                    if isSuspect || operations + weight.operations > maxOperations || bytes + weight.bytes > maxBytes {
                        break
                    }
                }
                queue.requests.removeFirst()
                work.requests.append(request)
                operations += weight.operations
                bytes += weight.bytes
                if isSuspect { break }
            }
            guard work.requests.count > countBefore else { break }
            ready.removeFirst()
            queue.isTaken = true
            work.waitsForLock = queue.timesSkipped >= Self.maxSkips
            zones[zone] = queue
            work.zones.append(zone)
            if mustBeAlone || operations >= maxOperations || bytes >= maxBytes { break }
        }
        waitingCount -= work.requests.count
        return work.zones.isEmpty ? nil : work
    }

    /// Gives zones back. `returned` are requests to be taken again, in front of those that came since; `skipped` the
    /// zones whose lock was missed.
    package mutating func release(
        _ released: [ZoneRow], returned: [(request: Request, zone: ZoneRow, weight: Weight)],
        skipped: Set<ZoneRow> = []
    ) {
        for (request, zone, weight) in returned.reversed() {
            waitingCount += 1
            let isNew = zones[zone] == nil
            zones[zone, default: ZoneQueue()].requests.prepend((request, weight))
            // Usually a zone of `released`; another one when the zone was found again under a new row.
            if isNew, !released.contains(zone) { ready.append(zone) }
        }
        for zone in released {
            guard var queue = zones[zone] else { continue }
            queue.isTaken = false
            queue.timesSkipped = skipped.contains(zone) ? queue.timesSkipped + 1 : 0
            if queue.requests.isEmpty {
                zones[zone] = nil
            } else {
                zones[zone] = queue
                ready.append(zone)
            }
        }
    }
}

extension WriteScheduler.Work: Sendable where Request: Sendable {}
