internal import DequeModule

/// Which requests go into which transaction. A value without clocks or tasks.
///
/// A zone is in one lane at a time, so that no two of our own transactions meet at its lock, and a hot zone keeps one
/// lane busy while the others go on.
///
/// A *suspect*, a request that came back twice, may be what ends the process. Suspects are executed one at a time, with
/// nothing else under way, in random order, and only when nothing else waits (or the others had their turns): whatever
/// is healthy among them is done with in a few restarts, long before the broker gives up on it.
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
        /// Whether it is executed with nothing else under way.
        package var isSuspect = false
        /// Whether it has a transaction to itself.
        package var isAlone = false

        /// A weight of that much.
        package init(operations: Int, bytes: Int, isSuspect: Bool = false, isAlone: Bool = false) {
            self.operations = operations
            self.bytes = bytes
            self.isSuspect = isSuspect
            self.isAlone = isAlone
        }
    }

    private struct ZoneQueue {
        var requests: Deque<(request: Request, weight: Weight)> = []
        var isTaken = false
        var timesSkipped = 0
    }

    /// A zone whose lock was missed this often is waited for alone.
    package static var maxSkips: Int { 3 }
    /// Suspects wait for so many transactions of others at most.
    package static var maxTurnsBeforeSuspect: Int { 64 }

    private let maxOperations: Int
    private let maxBytes: Int
    private var zones: [ZoneRow: ZoneQueue] = [:]
    private var ready: Deque<ZoneRow> = []
    private var suspects: [(request: Request, zone: ZoneRow)] = []
    private var takenCount = 0
    private var turnsSinceSuspect = 0

    /// A scheduler with those bounds of one transaction; a single request may be over them.
    package init(maxOperations: Int, maxBytes: Int) {
        self.maxOperations = maxOperations
        self.maxBytes = maxBytes
    }

    /// Whether nothing waits and nothing is taken.
    package var isIdle: Bool { zones.isEmpty && suspects.isEmpty }

    /// Puts a request behind the others of its zone.
    package mutating func add(_ request: Request, zone: ZoneRow, weight: Weight) {
        guard !weight.isSuspect else { return suspects.append((request, zone)) }
        zones[zone, default: ZoneQueue()].requests.append((request, weight))
        if zones[zone]?.isTaken == false, zones[zone]?.requests.count == 1 { ready.append(zone) }
    }

    /// Whatever waits, up to the bounds; nil when nothing does, or a suspect's turn has come and others are under way.
    package mutating func take() -> Work? {
        if !suspects.isEmpty, ready.isEmpty || turnsSinceSuspect >= Self.maxTurnsBeforeSuspect { return takeSuspect() }
        guard let work = takeReady() else { return nil }
        if !suspects.isEmpty { turnsSinceSuspect += 1 }
        takenCount += work.zones.count
        return work
    }

    private mutating func takeSuspect() -> Work? {
        guard takenCount == 0 else { return nil }
        let (request, zone) = suspects.remove(at: Int.random(in: suspects.indices))
        turnsSinceSuspect = 0
        takenCount = 1
        // The zone may be in `ready`: nobody takes it there before the suspect is released.
        zones[zone, default: ZoneQueue()].isTaken = true
        ready.removeAll { $0 == zone }
        return Work(requests: [request], zones: [zone], waitsForLock: true)
    }

    private mutating func takeReady() -> Work? {
        var work = Work(requests: [], zones: [], waitsForLock: false)
        var operations = 0
        var bytes = 0
        while let zone = ready.first, var queue = zones[zone], let first = queue.requests.first {
            let isAlone = queue.timesSkipped >= Self.maxSkips || first.weight.isAlone
            if isAlone, !work.zones.isEmpty { break }
            let countBefore = work.requests.count
            while let (request, weight) = queue.requests.first {
                if !work.requests.isEmpty {
                    let isOver = operations + weight.operations > maxOperations || bytes + weight.bytes > maxBytes
                    if isOver || weight.isAlone || first.weight.isAlone { break }
                }
                queue.requests.removeFirst()
                work.requests.append(request)
                operations += weight.operations
                bytes += weight.bytes
            }
            guard work.requests.count > countBefore else { break }
            ready.removeFirst()
            queue.isTaken = true
            work.waitsForLock = queue.timesSkipped >= Self.maxSkips
            zones[zone] = queue
            work.zones.append(zone)
            if isAlone || operations >= maxOperations || bytes >= maxBytes { break }
        }
        return work.zones.isEmpty ? nil : work
    }

    /// Gives zones back. `returned` are requests to be taken again, in front of those that came since; `skipped` the
    /// zones whose lock was missed.
    package mutating func release(
        _ released: [ZoneRow], returned: [(request: Request, zone: ZoneRow, weight: Weight)],
        skipped: Set<ZoneRow> = []
    ) {
        takenCount -= released.count
        for (request, zone, weight) in returned.reversed() {
            guard !weight.isSuspect else {
                suspects.append((request, zone))
                continue
            }
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
