internal import DequeModule
package import RecordStorage

/// Decides which requests go into which transaction. It has no clock and no tasks: callers pass the current time.
///
/// A zone belongs to one lane at a time. Two transactions of this process therefore never compete for its lock, and a
/// hot zone keeps only one lane busy while the other lanes work on other zones.
///
/// A zone that another process has locked is *missed*. It rests, for longer after each miss, so that it does not keep a
/// lane from working on other zones. After the rest, a lane takes only this zone and waits briefly for its lock, or
/// tries to get the lock without waiting if enough lanes are already waiting. ``HeldBounds`` bounds the requests that
/// are waiting for missed zones.
///
/// A *poison candidate* is a request that has returned to its queue twice and might be the one that crashes the
/// process. Candidates run one at a time and in random order. A candidate starts only while no other work is under way,
/// and only if no other request is waiting or enough transactions have run since the last candidate. After a few
/// restarts, the harmless candidates have been executed.
package struct WriteScheduler<Request> {
    package typealias Instant = ContinuousClock.Instant

    /// The maximum number of other transactions for which the poison candidates wait.
    package static var maxTurnsBeforeCandidate: Int { 64 }
    /// The longest rest of a missed zone between attempts.
    package static var maxRest: Duration { MissedZones.maxRest }

    private let maxOperations: Int
    private let maxBytes: Int
    private let maxWaiting: Int
    private let bounds: HeldBounds
    private var zones: [ZoneRow: ZoneQueue] = [:]
    private var ready: Deque<ZoneRow> = []
    private var candidates: [Entry] = []
    private var missed = MissedZones()
    /// The missed zones with waiting requests. They rest until the next attempt.
    private var resting: Set<ZoneRow> = []
    private var held = HeldLoad()
    private var takenCount = 0
    private var waitingCount = 0
    private var turnsSinceCandidate = 0

    /// Creates a scheduler with the bounds of one transaction, which a single request can exceed.
    ///
    /// - Parameters:
    ///   - maxWaiting: the maximum number of transactions that can wait for a lock at the same time.
    ///   - bounds: the bounds for requests that are waiting for missed zones.
    package init(maxOperations: Int, maxBytes: Int, maxWaiting: Int = 1, bounds: HeldBounds = HeldBounds()) {
        self.maxOperations = maxOperations
        self.maxBytes = maxBytes
        self.maxWaiting = maxWaiting
        self.bounds = bounds
    }

    /// Whether no request is waiting and no zone is taken.
    package var isIdle: Bool { zones.isEmpty && candidates.isEmpty }

    /// The time at which the next resting zone is due; nil if no zone is resting.
    package private(set) var nextDue: Instant?

    /// Adds a request after the other requests in its zone.
    ///
    /// - Returns: the requests that were removed because they exceed the bounds.
    package mutating func add(_ entry: Entry, now: Instant) -> [Request] {
        guard !entry.weight.isPoisonCandidate else {
            candidates.append(entry)
            return []
        }
        let zone = entry.zone
        if missed.isOutdated(zone, now: now) { forgive(zone) }
        zones[zone, default: ZoneQueue()].entries.append(entry)
        if missed.contains(zone) { held.add(entry.weight, zone) }
        if zones[zone]?.isTaken == false, zones[zone]?.entries.count == 1 { line(up: zone, now: now) }
        return evict(from: zone, now: now, isMissed: false)
    }

    /// Takes waiting requests, up to the bounds. Returns nil if no request is ready, or if it is a poison candidate's
    /// turn while other work is under way.
    package mutating func take(now: Instant) -> Work? {
        wake(now)
        let candidate = candidates.indices.filter { isDue(candidates[$0].zone, now) }.randomElement()
        if let candidate, ready.isEmpty || turnsSinceCandidate >= Self.maxTurnsBeforeCandidate {
            return takeCandidate(candidate)
        }
        guard let work = takeReady() else { return nil }
        if candidate != nil { turnsSinceCandidate += 1 }
        takenCount += work.zones.count
        if work.waitsForLock { waitingCount += 1 }
        return work
    }

    private mutating func takeCandidate(_ index: Int) -> Work? {
        guard takenCount == 0 else { return nil }
        let entry = candidates.remove(at: index)
        turnsSinceCandidate = 0
        takenCount = 1
        waitingCount += 1
        // The zone might be in `ready`. No lane is allowed to take it from `ready` before the candidate is released.
        zones[entry.zone, default: ZoneQueue()].isTaken = true
        ready.removeAll { $0 == entry.zone }
        resting.remove(entry.zone)
        return Work(requests: [entry.request], zones: [entry.zone], waitsForLock: true)
    }

    private mutating func takeReady() -> Work? {
        var work = Work(requests: [], zones: [], waitsForLock: false)
        var operations = 0
        var bytes = 0
        while let zone = ready.first, var queue = zones[zone], let first = queue.entries.first {
            let waits = missed.contains(zone) && waitingCount < maxWaiting
            if waits || first.weight.isAlone, !work.zones.isEmpty { break }
            let countBefore = work.requests.count
            while let entry = queue.entries.first {
                if !work.requests.isEmpty {
                    let isOver =
                        operations + entry.weight.operations > maxOperations || bytes + entry.weight.bytes > maxBytes
                    if isOver || entry.weight.isAlone || first.weight.isAlone { break }
                }
                queue.entries.removeFirst()
                if missed.contains(zone) { held.remove(entry.weight, zone) }
                work.requests.append(entry.request)
                operations += entry.weight.operations
                bytes += entry.weight.bytes
            }
            guard work.requests.count > countBefore else { break }
            ready.removeFirst()
            queue.isTaken = true
            zones[zone] = queue
            work.zones.append(zone)
            work.waitsForLock = waits
            if waits || first.weight.isAlone || operations >= maxOperations || bytes >= maxBytes { break }
        }
        return work.zones.isEmpty ? nil : work
    }

    /// Releases the zones of `work`.
    ///
    /// - Parameters:
    ///   - returned: requests to be taken again, before those that were added in the meantime.
    ///   - skipped: the zones whose locks could not be obtained.
    ///   - awaitingSchema: the number of requests in each zone that are waiting outside the scheduler for a schema
    ///     extension. Such a zone stays taken, but does not count as work under way, until ``resume(_:returned:now:)``
    ///     has been called for each of these requests.
    /// - Returns: the requests that were removed because they exceed the bounds.
    package mutating func release(
        _ work: Work, returned: [Entry], skipped: Set<ZoneRow> = [], awaitingSchema: [ZoneRow: Int] = [:], now: Instant
    ) -> [Request] {
        takenCount -= work.zones.count
        if work.waitsForLock { waitingCount -= 1 }
        for zone in work.zones {
            if skipped.contains(zone) { miss(zone, now) } else { forgive(zone) }
        }
        for entry in returned.reversed() { putInFront(entry, unless: work.zones, now: now) }
        for zone in work.zones {
            if let count = awaitingSchema[zone], count > 0 {
                zones[zone, default: ZoneQueue()].awaitingSchema += count
            } else {
                free(zone, now: now)
            }
        }
        missed.removeIdle(now: now) { zones[$0] != nil }
        let touched = skipped.union(returned.map(\.zone))
        guard !touched.isEmpty else { return [] }
        return touched.flatMap { evict(from: $0, now: now, isMissed: skipped.contains($0)) }
            + evictCandidates(of: skipped, now: now)
    }

    /// Ends a request's wait for a schema extension. When a zone's last wait ends, the zone is released.
    ///
    /// - Parameter returned: the request, to be taken again; nil if it is done.
    package mutating func resume(_ zone: ZoneRow, returned: Entry?, now: Instant) {
        if let returned { putInFront(returned, unless: [zone], now: now) }
        guard var queue = zones[zone], queue.awaitingSchema > 0 else { return }
        queue.awaitingSchema -= 1
        zones[zone] = queue
        if queue.awaitingSchema == 0 { free(zone, now: now) }
    }

    /// Removes the waiting requests for which `isGone` returns true. Requests that are being executed are not affected.
    ///
    /// - Returns: the number of removed requests.
    package mutating func removeAll(where isGone: (Request) -> Bool) -> Int {
        var count = candidates.count
        candidates.removeAll { isGone($0.request) }
        count -= candidates.count
        for (zone, queue) in zones where queue.entries.contains(where: { isGone($0.request) }) {
            var queue = queue
            let isHeld = missed.contains(zone)
            for entry in queue.entries where isGone(entry.request) {
                count += 1
                if isHeld { held.remove(entry.weight, zone) }
            }
            queue.entries.removeAll { isGone($0.request) }
            if queue.entries.isEmpty, !queue.isTaken {
                zones[zone] = nil
                resting.remove(zone)
            } else {
                zones[zone] = queue
            }
        }
        ready.removeAll { zones[$0] == nil }
        return count
    }

    private mutating func putInFront(_ entry: Entry, unless taken: [ZoneRow], now: Instant) {
        guard !entry.weight.isPoisonCandidate else { return candidates.append(entry) }
        let zone = entry.zone
        let isNew = zones[zone] == nil
        zones[zone, default: ZoneQueue()].entries.prepend(entry)
        if missed.contains(zone) { held.add(entry.weight, zone) }
        // The lane has usually taken this zone, but the zone might have been found again with a new row.
        if isNew, !taken.contains(zone) { line(up: zone, now: now) }
    }

    private mutating func free(_ zone: ZoneRow, now: Instant) {
        guard var queue = zones[zone] else { return }
        queue.isTaken = false
        zones[zone] = queue.entries.isEmpty ? nil : queue
        if !queue.entries.isEmpty { line(up: zone, now: now) }
    }

    private mutating func line(up zone: ZoneRow, now: Instant) {
        if let next = missed.nextAttempt(zone), next > now {
            resting.insert(zone)
            wakeUp(at: next)
        } else {
            ready.append(zone)
        }
    }

    private mutating func wakeUp(at instant: Instant) { nextDue = min(nextDue ?? instant, instant) }

    private mutating func wake(_ now: Instant) {
        guard let due = nextDue, due <= now else { return }
        nextDue = nil
        for zone in resting {
            guard let next = missed.nextAttempt(zone), next > now else {
                resting.remove(zone)
                ready.append(zone)
                continue
            }
            wakeUp(at: next)
        }
        // The zones of poison candidates can also be resting.
        for entry in candidates {
            if let next = missed.nextAttempt(entry.zone), next > now { wakeUp(at: next) }
        }
    }

    private mutating func miss(_ zone: ZoneRow, _ now: Instant) {
        if missed.isOutdated(zone, now: now) { forgive(zone) }
        if !missed.contains(zone) { for entry in zones[zone]?.entries ?? [] { held.add(entry.weight, zone) } }
        wakeUp(at: missed.add(zone, now: now))
    }

    private mutating func forgive(_ zone: ZoneRow) {
        guard missed.remove(zone) else { return }
        for entry in zones[zone]?.entries ?? [] { held.remove(entry.weight, zone) }
    }

    /// Returns whether a poison candidate in the zone can be executed at the moment.
    private func isDue(_ zone: ZoneRow, _ now: Instant) -> Bool {
        (missed.nextAttempt(zone) ?? now) <= now && (zones[zone]?.awaitingSchema ?? 0) == 0
    }

    /// Removes and returns the requests of a missed zone that exceed the bounds.
    ///
    /// - Parameter isMissed: whether the zone has just been missed.
    private mutating func evict(from zone: ZoneRow, now: Instant, isMissed: Bool) -> [Request] {
        guard let duration = missed.duration(zone, now: now), duration >= bounds.grace, var queue = zones[zone] else {
            return []
        }
        let isOver = isMissed && duration >= bounds.patience
        var evicted: [Request] = []
        var kept: [Entry] = []
        while let entry = queue.entries.last, isOver || held.exceeds(bounds, zone, entry.weight.environment) {
            queue.entries.removeLast()
            if entry.weight.isKept {
                kept.append(entry)
            } else {
                held.remove(entry.weight, zone)
                evicted.append(entry.request)
            }
        }
        queue.entries.append(contentsOf: kept.reversed())
        zones[zone] = queue.entries.isEmpty && !queue.isTaken ? nil : queue
        if zones[zone] == nil {
            resting.remove(zone)
            ready.removeAll { $0 == zone }
        }
        return evicted.reversed()
    }

    private mutating func evictCandidates(of skipped: Set<ZoneRow>, now: Instant) -> [Request] {
        let leaving = skipped.filter { missed.duration($0, now: now).map { $0 >= bounds.patience } == true }
        guard !leaving.isEmpty else { return [] }
        let isGone = { (entry: Entry) in leaving.contains(entry.zone) && !entry.weight.isKept }
        let evicted = candidates.filter(isGone).map(\.request)
        candidates.removeAll(where: isGone)
        return evicted
    }
}
