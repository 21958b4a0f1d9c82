internal import DequeModule
package import RecordStorage

/// Which requests go into which transaction. A value without clocks or tasks.
///
/// A zone is in one lane at a time, so that no two of our own transactions meet at its lock, and a hot zone keeps one
/// lane busy while the others go on.
///
/// A zone that another process has locked is *missed*. It rests, longer from miss to miss, and is then waited for alone,
/// briefly and in few lanes, or tried without waiting: no zone keeps a lane from the others. What waits for missed zones
/// is bounded (``HeldBounds``); requests beyond the bounds leave the scheduler, the youngest first.
///
/// A *suspect*, a request that came back twice, may be what ends the process. Suspects are executed one at a time, in
/// random order, begun with nothing else under way, and only when nothing else waits (or the others had their turns):
/// whatever is healthy among them is done with in a few restarts, long before the broker gives up on it.
package struct WriteScheduler<Request> {
    package typealias Instant = ContinuousClock.Instant

    /// What a lane takes into one transaction.
    package struct Work {
        /// The requests, in order within each zone.
        package var requests: [Request]
        /// The zones that are this lane's until it releases them.
        package var zones: [ZoneRow]
        /// Whether to wait for the zone's lock (one zone only) instead of passing it over.
        package var waitsForLock: Bool
    }

    /// A request with what has to be known of it.
    package struct Entry {
        /// The request.
        package var request: Request
        /// Its zone.
        package var zone: ZoneRow
        /// What it weighs.
        package var weight: Weight

        /// An entry of those parts.
        package init(_ request: Request, zone: ZoneRow, weight: Weight) {
            (self.request, self.zone, self.weight) = (request, zone, weight)
        }
    }

    /// What a request weighs.
    package struct Weight: Sendable {
        /// Operations in it.
        package var operations: Int
        /// Bytes of its body.
        package var bytes: Int
        /// Whether it is executed with nothing else under way.
        package var isPoisonCandidate = false
        /// Whether it has a transaction to itself.
        package var isAlone = false
        /// Whether it waits for its zone however long that takes.
        package var isKept = false
        /// Whose share of what waits for missed zones it takes.
        package var environment = EnvironmentRow(0)

        /// A weight of that much.
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

    private struct ZoneQueue {
        var entries: Deque<Entry> = []
        var isTaken = false
        /// Requests of the zone that wait outside until their types are learnt; the zone is theirs meanwhile.
        var learning = 0
    }

    /// A zone whose lock was not to be had, in every attempt since `since`.
    private struct Miss {
        var since: Instant
        var last: Instant
        var next: Instant
        var count = 1
    }

    /// Suspects wait for so many transactions of others at most.
    package static var maxTurnsBeforeSuspect: Int { 64 }
    /// A zone rests at most this long between two attempts.
    package static var maxRest: Duration { .milliseconds(500) }
    /// After this long without an attempt a zone is not known as missed any more.
    private static var memory: Duration { .seconds(10) }
    /// Missed zones that are remembered without requests.
    private static var maxIdleMisses: Int { 2000 }

    private let maxOperations: Int
    private let maxBytes: Int
    private let maxWaiting: Int
    private let bounds: HeldBounds
    private var zones: [ZoneRow: ZoneQueue] = [:]
    private var ready: Deque<ZoneRow> = []
    private var suspects: [Entry] = []
    private var missed: [ZoneRow: Miss] = [:]
    /// Missed zones with requests, until their next attempt.
    private var resting: Set<ZoneRow> = []
    private var held = HeldLoad()
    private var takenCount = 0
    private var waitingCount = 0
    private var turnsSinceSuspect = 0

    /// A scheduler with those bounds of one transaction; a single request may be over them.
    ///
    /// - Parameters:
    ///   - maxWaiting: works at once that wait for a lock.
    ///   - bounds: of what waits for missed zones.
    package init(maxOperations: Int, maxBytes: Int, maxWaiting: Int = 1, bounds: HeldBounds = HeldBounds()) {
        self.maxOperations = maxOperations
        self.maxBytes = maxBytes
        self.maxWaiting = maxWaiting
        self.bounds = bounds
    }

    /// Whether nothing waits and nothing is taken.
    package var isIdle: Bool { zones.isEmpty && suspects.isEmpty }

    /// When the next resting zone is due; nil: none rests.
    package private(set) var nextDue: Instant?

    /// Puts a request behind the others of its zone.
    ///
    /// - Returns: what is over the bounds of what waits for missed zones.
    package mutating func add(_ entry: Entry, now: Instant) -> [Request] {
        guard !entry.weight.isPoisonCandidate else {
            suspects.append(entry)
            return []
        }
        let zone = entry.zone
        if let miss = missed[zone], now - miss.last > Self.memory { forgive(zone) }
        zones[zone, default: ZoneQueue()].entries.append(entry)
        if missed[zone] != nil { held.add(entry.weight, zone) }
        if zones[zone]?.isTaken == false, zones[zone]?.entries.count == 1 { line(up: zone, now: now) }
        return evict(from: zone, now: now, isMissed: false)
    }

    /// Whatever waits, up to the bounds; nil when nothing does, or a suspect's turn has come and others are under way.
    package mutating func take(now: Instant) -> Work? {
        wake(now)
        let suspect = suspects.indices.filter { isDue(suspects[$0].zone, now) }.randomElement()
        if let suspect, ready.isEmpty || turnsSinceSuspect >= Self.maxTurnsBeforeSuspect { return takeSuspect(suspect) }
        guard let work = takeReady() else { return nil }
        if suspect != nil { turnsSinceSuspect += 1 }
        takenCount += work.zones.count
        if work.waitsForLock { waitingCount += 1 }
        return work
    }

    private mutating func takeSuspect(_ index: Int) -> Work? {
        guard takenCount == 0 else { return nil }
        let entry = suspects.remove(at: index)
        turnsSinceSuspect = 0
        takenCount = 1
        waitingCount += 1
        // The zone may be in `ready`: it is taken there by no lane before the suspect is released.
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
            let waits = missed[zone] != nil && waitingCount < maxWaiting
            if waits || first.weight.isAlone, !work.zones.isEmpty { break }
            let countBefore = work.requests.count
            while let entry = queue.entries.first {
                if !work.requests.isEmpty {
                    let isOver =
                        operations + entry.weight.operations > maxOperations || bytes + entry.weight.bytes > maxBytes
                    if isOver || entry.weight.isAlone || first.weight.isAlone { break }
                }
                queue.entries.removeFirst()
                if missed[zone] != nil { held.remove(entry.weight, zone) }
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

    /// Gives a work's zones back.
    ///
    /// - Parameters:
    ///   - returned: requests to be taken again, in front of those that came since.
    ///   - skipped: the zones whose lock was missed.
    ///   - learning: how many requests of a zone wait outside until their types are learnt. Such a zone stays taken, but
    ///     is not under way, until ``resume(_:returned:now:)`` was called for each.
    /// - Returns: what is over the bounds of what waits for missed zones.
    package mutating func release(
        _ work: Work, returned: [Entry], skipped: Set<ZoneRow> = [], learning: [ZoneRow: Int] = [:], now: Instant
    ) -> [Request] {
        takenCount -= work.zones.count
        if work.waitsForLock { waitingCount -= 1 }
        for zone in work.zones {
            if skipped.contains(zone) { miss(zone, now) } else { forgive(zone) }
        }
        for entry in returned.reversed() { putInFront(entry, unless: work.zones, now: now) }
        for zone in work.zones {
            if let count = learning[zone], count > 0 {
                zones[zone, default: ZoneQueue()].learning += count
            } else {
                free(zone, now: now)
            }
        }
        if missed.count > Self.maxIdleMisses { forgetIdleMisses(now) }
        let touched = skipped.union(returned.map(\.zone))
        guard !touched.isEmpty else { return [] }
        return touched.flatMap { evict(from: $0, now: now, isMissed: skipped.contains($0)) }
            + evictSuspects(of: skipped, now: now)
    }

    /// A request that waited outside comes back, or is done with (nil). The zone is released with its last.
    package mutating func resume(_ zone: ZoneRow, returned: Entry?, now: Instant) {
        if let returned { putInFront(returned, unless: [zone], now: now) }
        guard var queue = zones[zone], queue.learning > 0 else { return }
        queue.learning -= 1
        zones[zone] = queue
        if queue.learning == 0 { free(zone, now: now) }
    }

    /// Takes out the requests that wait and are `isGone`; those under way stay.
    ///
    /// - Returns: how many these were.
    package mutating func removeAll(where isGone: (Request) -> Bool) -> Int {
        var count = suspects.count
        suspects.removeAll { isGone($0.request) }
        count -= suspects.count
        for (zone, queue) in zones where queue.entries.contains(where: { isGone($0.request) }) {
            var queue = queue
            let isHeld = missed[zone] != nil
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

    // MARK: Lines

    private mutating func putInFront(_ entry: Entry, unless taken: [ZoneRow], now: Instant) {
        guard !entry.weight.isPoisonCandidate else { return suspects.append(entry) }
        let zone = entry.zone
        let isNew = zones[zone] == nil
        zones[zone, default: ZoneQueue()].entries.prepend(entry)
        if missed[zone] != nil { held.add(entry.weight, zone) }
        // Usually a taken zone; another one when the zone was found again under a new row.
        if isNew, !taken.contains(zone) { line(up: zone, now: now) }
    }

    private mutating func free(_ zone: ZoneRow, now: Instant) {
        guard var queue = zones[zone] else { return }
        queue.isTaken = false
        zones[zone] = queue.entries.isEmpty ? nil : queue
        if !queue.entries.isEmpty { line(up: zone, now: now) }
    }

    private mutating func line(up zone: ZoneRow, now: Instant) {
        if let miss = missed[zone], miss.next > now {
            resting.insert(zone)
            nextDue = min(nextDue ?? miss.next, miss.next)
        } else {
            ready.append(zone)
        }
    }

    private mutating func wake(_ now: Instant) {
        guard let due = nextDue, due <= now else { return }
        nextDue = nil
        for zone in resting {
            guard let next = missed[zone]?.next, next > now else {
                resting.remove(zone)
                ready.append(zone)
                continue
            }
            nextDue = min(nextDue ?? next, next)
        }
        // Suspects' zones rest as well.
        for entry in suspects {
            if let next = missed[entry.zone]?.next, next > now { nextDue = min(nextDue ?? next, next) }
        }
    }

    // MARK: Missed zones

    private mutating func miss(_ zone: ZoneRow, _ now: Instant) {
        if let miss = missed[zone], now - miss.last > Self.memory { forgive(zone) }
        var miss = missed[zone] ?? Miss(since: now, last: now, next: now, count: 0)
        if miss.count == 0 { for entry in zones[zone]?.entries ?? [] { held.add(entry.weight, zone) } }
        miss.count += 1
        let limit = min(Self.maxRest, .milliseconds(1 << min(miss.count, 9)))
        (miss.last, miss.next) = (now, now + limit * Double.random(in: 0.5...1))
        missed[zone] = miss
        nextDue = min(nextDue ?? miss.next, miss.next)
    }

    private mutating func forgive(_ zone: ZoneRow) {
        guard missed.removeValue(forKey: zone) != nil else { return }
        for entry in zones[zone]?.entries ?? [] { held.remove(entry.weight, zone) }
    }

    private mutating func forgetIdleMisses(_ now: Instant) {
        for (zone, miss) in missed where zones[zone] == nil && miss.next <= now { missed[zone] = nil }
    }

    /// Whether a suspect of the zone may have its turn.
    private func isDue(_ zone: ZoneRow, _ now: Instant) -> Bool {
        (missed[zone]?.next ?? now) <= now && (zones[zone]?.learning ?? 0) == 0
    }

    /// What leaves a zone that has been missed for so long that it may.
    ///
    /// - Parameter isMissed: whether it was missed just now.
    private mutating func evict(from zone: ZoneRow, now: Instant, isMissed: Bool) -> [Request] {
        guard let miss = missed[zone], now - miss.since >= bounds.grace, var queue = zones[zone] else { return [] }
        let isOver = isMissed && now - miss.since >= bounds.patience
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

    private mutating func evictSuspects(of skipped: Set<ZoneRow>, now: Instant) -> [Request] {
        let leaving = Set(skipped.filter { missed[$0].map { now - $0.since >= bounds.patience } == true })
        guard !leaving.isEmpty else { return [] }
        let isGone = { (entry: Entry) in leaving.contains(entry.zone) && !entry.weight.isKept }
        let evicted = suspects.filter(isGone).map(\.request)
        suspects.removeAll(where: isGone)
        return evicted
    }
}

extension WriteScheduler.Work: Sendable where Request: Sendable {}
extension WriteScheduler.Entry: Sendable where Request: Sendable {}
