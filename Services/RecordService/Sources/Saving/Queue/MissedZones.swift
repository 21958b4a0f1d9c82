internal import RecordStorage

/// The zones whose locks are held by other processes, and the time of the next attempt for each. This value has no
/// clock: callers pass the current time.
///
/// The pause between attempts becomes longer after each miss. After some time without an attempt, a zone no longer
/// counts as missed.
struct MissedZones {
    typealias Instant = ContinuousClock.Instant

    /// The longest pause between attempts.
    static let maxRest = Duration.milliseconds(500)
    /// How long after the last attempt a miss is forgotten.
    private static let memory = Duration.seconds(10)
    /// The number of missed zones above which zones without requests are removed.
    private static let maxIdle = 2000

    /// A zone whose lock could not be obtained in any attempt since `since`.
    private struct Miss {
        var since: Instant
        var last: Instant
        var next: Instant
        var count = 0
    }

    private var misses: [ZoneRow: Miss] = [:]

    /// Whether the last attempt for a zone failed to obtain its lock.
    func contains(_ zone: ZoneRow) -> Bool { misses[zone] != nil }

    /// Returns the time of the next attempt; nil if the zone is not missed.
    func nextAttempt(_ zone: ZoneRow) -> Instant? { misses[zone]?.next }

    /// Returns how long a zone has been missed; nil if it is not missed.
    func duration(_ zone: ZoneRow, now: Instant) -> Duration? { misses[zone].map { now - $0.since } }

    /// Whether the last attempt for a missed zone was so long ago that the miss no longer counts.
    func isOutdated(_ zone: ZoneRow, now: Instant) -> Bool {
        misses[zone].map { now - $0.last > Self.memory } ?? false
    }

    /// Adds a miss.
    ///
    /// - Returns: the time of the next attempt.
    mutating func add(_ zone: ZoneRow, now: Instant) -> Instant {
        var miss = misses[zone] ?? Miss(since: now, last: now, next: now)
        miss.count += 1
        let limit = min(Self.maxRest, .milliseconds(1 << min(miss.count, 9)))
        (miss.last, miss.next) = (now, now + limit * Double.random(in: 0.5...1))
        misses[zone] = miss
        return miss.next
    }

    /// Removes a zone whose lock was granted.
    ///
    /// - Returns: whether it was missed before.
    mutating func remove(_ zone: ZoneRow) -> Bool { misses.removeValue(forKey: zone) != nil }

    /// If there are many missed zones, removes those that have no requests and whose pause is over.
    mutating func removeIdle(now: Instant, hasRequests: (ZoneRow) -> Bool) {
        guard misses.count > Self.maxIdle else { return }
        misses = misses.filter { $0.value.next > now || hasRequests($0.key) }
    }
}
