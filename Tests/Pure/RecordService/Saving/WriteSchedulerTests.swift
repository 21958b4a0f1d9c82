import Testing

@testable import RecordService
@testable import RecordStorage

struct WriteSchedulerTests {
    typealias Scheduler = WriteScheduler<Int>

    static let light = Scheduler.Weight(operations: 1, bytes: 100, isPoisonCandidate: false)
    static let suspect = Scheduler.Weight(operations: 1, bytes: 100, isPoisonCandidate: true)
    static let (a, b) = (ZoneRow(1), ZoneRow(2))

    @Test func oneRequestWaitsForNoCompany() {
        var scheduler = Scheduler(maxOperations: 256, maxBytes: 1 << 20)
        scheduler.add(1, zone: Self.a, weight: Self.light)
        #expect(scheduler.take()?.requests == [1])
    }

    @Test func whateverWaitsGoesTogether() {
        var scheduler = Scheduler(maxOperations: 256, maxBytes: 1 << 20)
        for request in 1...3 { scheduler.add(request, zone: Self.a, weight: Self.light) }
        scheduler.add(4, zone: Self.b, weight: Self.light)
        #expect(scheduler.take()?.requests == [1, 2, 3, 4])
    }

    @Test func aTakenZoneIsInNoOtherLane() {
        var scheduler = Scheduler(maxOperations: 256, maxBytes: 1 << 20)
        scheduler.add(1, zone: Self.a, weight: Self.light)
        let work = scheduler.take()
        scheduler.add(2, zone: Self.a, weight: Self.light)
        scheduler.add(3, zone: Self.b, weight: Self.light)
        #expect(scheduler.take()?.requests == [3])
        #expect(scheduler.take() == nil)
        scheduler.giveBack(work)
        #expect(scheduler.take()?.requests == [2])
    }

    @Test func aHotZoneLeavesRoomForTheOthers() {
        var scheduler = Scheduler(maxOperations: 2, maxBytes: 1 << 20)
        for request in 1...5 { scheduler.add(request, zone: Self.a, weight: Self.light) }
        scheduler.add(9, zone: Self.b, weight: Self.light)
        let hot = scheduler.take()
        #expect(hot?.requests == [1, 2])
        #expect(scheduler.take()?.requests == [9])
        scheduler.giveBack(hot)
        #expect(scheduler.take()?.requests == [3, 4])
    }

    @Test func bytesBoundATransactionButNotASingleRequest() {
        var scheduler = Scheduler(maxOperations: 256, maxBytes: 1000)
        let heavy = Scheduler.Weight(operations: 1, bytes: 5000, isPoisonCandidate: false)
        scheduler.add(1, zone: Self.a, weight: heavy)
        scheduler.add(2, zone: Self.a, weight: heavy)
        let first = scheduler.take()
        #expect(first?.requests == [1])
        scheduler.giveBack(first)
        #expect(scheduler.take()?.requests == [2])
    }

    @Test func aSuspectIsExecutedLastAndWithNothingElseUnderWay() {
        var scheduler = Scheduler(maxOperations: 256, maxBytes: 1 << 20)
        scheduler.add(1, zone: Self.a, weight: Self.suspect)
        scheduler.add(2, zone: Self.a, weight: Self.light)
        scheduler.add(3, zone: Self.b, weight: Self.suspect)
        let healthy = scheduler.take()
        #expect(healthy?.requests == [2])
        #expect(scheduler.take() == nil, "a suspect does not start while others are under way")
        scheduler.giveBack(healthy)
        let first = scheduler.take()
        #expect(first?.requests.count == 1)
        #expect(scheduler.take() == nil, "nor does another suspect")
        scheduler.giveBack(first)
        let second = scheduler.take()
        #expect(Set((first?.requests ?? []) + (second?.requests ?? [])) == [1, 3])
        scheduler.giveBack(second)
        #expect(scheduler.isIdle)
    }

    @Test func suspectsGetTheirTurnUnderLoad() {
        var scheduler = Scheduler(maxOperations: 1, maxBytes: 1 << 20)
        scheduler.add(-1, zone: Self.b, weight: Self.suspect)
        var taken: [Int] = []
        for request in 0..<200 {
            scheduler.add(request, zone: Self.a, weight: Self.light)
            if let work = scheduler.take() {
                taken += work.requests
                scheduler.giveBack(work)
            }
        }
        #expect(taken.contains(-1))
    }

    @Test func oneThatNeedsATransactionToItselfHasOne() {
        var scheduler = Scheduler(maxOperations: 256, maxBytes: 1 << 20)
        scheduler.add(1, zone: Self.a, weight: Self.light)
        scheduler.add(2, zone: Self.a, weight: Scheduler.Weight(operations: 1, bytes: 1, isAlone: true))
        scheduler.add(3, zone: Self.a, weight: Self.light)
        for expected in 1...3 {
            let work = scheduler.take()
            #expect(work?.requests == [expected])
            scheduler.giveBack(work)
        }
    }

    @Test func aMissedZoneRestsAndIsThenWaitedForAlone() throws {
        var scheduler = Scheduler(maxOperations: 256, maxBytes: 1 << 20)
        scheduler.add(1, zone: Self.a, weight: Self.light)
        let work = try scheduler.taken()
        #expect(!work.waitsForLock)
        scheduler.giveBack(work, returned: [1], skipped: [Self.a])
        scheduler.add(2, zone: Self.b, weight: Self.light)
        #expect(scheduler.take()?.requests == [2], "the missed zone rests")
        let later = try #require(scheduler.nextDue)
        #expect(later > Self.start && later <= Self.start + .milliseconds(2))
        scheduler.add(3, zone: ZoneRow(3), weight: Self.light, at: later)
        let others = scheduler.take(now: later)
        let patient = scheduler.take(now: later)
        #expect(others?.zones == [ZoneRow(3)])
        #expect(patient?.zones == [Self.a] && patient?.waitsForLock == true)
    }

    @Test func fewLanesWaitForLocks() throws {
        var scheduler = Scheduler(maxOperations: 256, maxBytes: 1 << 20, maxWaiting: 1)
        for zone in 1...3 { scheduler.add(zone, zone: ZoneRow(Int64(zone)), weight: Self.light) }
        let work = try scheduler.taken()
        scheduler.giveBack(work, returned: work.requests, skipped: Set(work.zones))
        let later = Self.start + .seconds(1)
        #expect(scheduler.take(now: later)?.waitsForLock == true)
        let rest = scheduler.take(now: later)
        #expect(rest?.waitsForLock == false && rest?.zones.count == 2)
    }

    @Test func aZoneRestsLongerFromMissToMiss() throws {
        var scheduler = Scheduler(maxOperations: 256, maxBytes: 1 << 20)
        scheduler.add(1, zone: Self.a, weight: Self.light)
        var now = Self.start
        for _ in 1...20 {
            let work = try scheduler.taken(now: now)
            scheduler.giveBack(work, returned: [1], skipped: [Self.a], at: now)
            now = try #require(scheduler.nextDue)
        }
        let work = try scheduler.taken(now: now)
        scheduler.giveBack(work, returned: [1], skipped: [Self.a], at: now)
        let rest = try #require(scheduler.nextDue) - now
        #expect(rest >= Scheduler.maxRest / 2 && rest <= Scheduler.maxRest)
    }

    @Test func whatIsOverAMissedZonesShareLeavesTheYoungestFirst() throws {
        var scheduler = Self.bounded()
        for request in 1...3 { scheduler.add(request, zone: Self.a, weight: Self.light) }
        let work = try scheduler.taken()
        #expect(scheduler.giveBack(work, returned: work.requests, skipped: [Self.a]) == [])
        let later = Self.start + .seconds(1)
        let again = try scheduler.taken(now: later)
        #expect(scheduler.giveBack(again, returned: again.requests, skipped: [Self.a], at: later) == [2, 3])
        #expect(scheduler.add(4, zone: Self.a, weight: Self.light, at: later) == [4])
        #expect(scheduler.add(5, zone: Self.b, weight: Self.light, at: later) == [])
    }

    @Test func anEnvironmentsShareHoldsForItsZonesTogether() throws {
        var scheduler = Self.bounded()
        for zone in 1...4 { scheduler.add(zone, zone: ZoneRow(Int64(zone)), weight: Self.light) }
        let other = Scheduler.Weight(operations: 1, bytes: 100, environment: EnvironmentRow(2))
        scheduler.add(9, zone: ZoneRow(9), weight: other)
        var evicted: [Int] = []
        for now in [Self.start, Self.start + .seconds(1)] {
            while let work = scheduler.take(now: now) {
                evicted += scheduler.giveBack(work, returned: work.requests, skipped: Set(work.zones), at: now)
            }
        }
        #expect(evicted.count == 2 && !evicted.contains(9))
    }

    @Test func requestsWaitForAMissedZoneNoLongerThanTheyMay() throws {
        var scheduler = Self.bounded()
        scheduler.add(1, zone: Self.a, weight: Self.light)
        scheduler.add(7, zone: ZoneRow(7), weight: Scheduler.Weight(operations: 1, bytes: 100, isKept: true))
        let work = try scheduler.taken()
        scheduler.giveBack(work, returned: work.requests, skipped: Set(work.zones))
        let later = Self.start + .seconds(10)
        var evicted: [Int] = []
        while let work = scheduler.take(now: later) {
            evicted += scheduler.giveBack(work, returned: work.requests, skipped: Set(work.zones), at: later)
        }
        #expect(evicted == [1])
        #expect(!scheduler.isIdle)
    }

    @Test func aZoneThatWasHadIsMissedNoMore() throws {
        var scheduler = Self.bounded()
        scheduler.add(1, zone: Self.a, weight: Self.light)
        let work = try scheduler.taken()
        scheduler.giveBack(work, returned: [1], skipped: [Self.a])
        let later = Self.start + .seconds(9)
        let again = try scheduler.taken(now: later)
        scheduler.giveBack(again, at: later)
        for request in 1...20 {
            #expect(scheduler.add(request, zone: Self.a, weight: Self.light, at: later) == [])
        }
    }

    @Test func aZoneThatLearnsIsTakenAndHoldsUpNoSuspect() throws {
        var scheduler = Scheduler(maxOperations: 256, maxBytes: 1 << 20)
        scheduler.add(1, zone: Self.a, weight: Self.light)
        let work = try scheduler.taken()
        scheduler.add(2, zone: Self.a, weight: Self.light)
        _ = scheduler.release(work, returned: [], awaitingSchema: [Self.a: 1], now: Self.start)
        #expect(scheduler.take() == nil && !scheduler.isIdle)
        scheduler.add(3, zone: Self.b, weight: Self.suspect)
        let suspect = try scheduler.taken()
        #expect(suspect.requests == [3])
        scheduler.giveBack(suspect)
        scheduler.resume(Self.a, returned: Scheduler.Entry(1, zone: Self.a, weight: Self.light), now: Self.start)
        #expect(scheduler.take()?.requests == [1, 2])
    }

    @Test func whatComesAgainOverAnotherConnectionIsTakenOut() throws {
        var scheduler = Scheduler(maxOperations: 1, maxBytes: 1 << 20)
        for request in 1...3 { scheduler.add(request, zone: Self.a, weight: Self.light) }
        scheduler.add(4, zone: Self.b, weight: Self.suspect)
        let work = try scheduler.taken()
        let gone = scheduler.removeAll { $0 <= 4 }
        #expect(gone == 3)
        scheduler.add(11, zone: Self.a, weight: Self.light)
        scheduler.giveBack(work)
        let next = try scheduler.taken()
        #expect(next.requests == [11])
        scheduler.giveBack(next)
        #expect(scheduler.isIdle)
    }

    @Test func returnedRequestsComeFirst() throws {
        var scheduler = Scheduler(maxOperations: 256, maxBytes: 1 << 20)
        scheduler.add(1, zone: Self.a, weight: Self.light)
        scheduler.add(2, zone: Self.a, weight: Self.light)
        let work = try scheduler.taken()
        scheduler.add(3, zone: Self.a, weight: Self.light)
        scheduler.giveBack(work, returned: [1, 2])
        #expect(scheduler.take()?.requests == [1, 2, 3])
    }

    @Test func aRequestMovedToAnotherRowIsFound() throws {
        var scheduler = Scheduler(maxOperations: 256, maxBytes: 1 << 20)
        scheduler.add(1, zone: Self.a, weight: Self.light)
        let work = try scheduler.taken()
        _ = scheduler.release(
            work, returned: [Scheduler.Entry(1, zone: Self.b, weight: Self.light)], now: Self.start)
        let moved = try scheduler.taken()
        #expect(moved.zones == [Self.b])
        scheduler.giveBack(moved)
        #expect(scheduler.isIdle)
    }

    /// Returns a scheduler in which one request may wait for a missed zone, and two for an environment.
    private static func bounded() -> Scheduler {
        var bounds = HeldBounds()
        bounds.zone = HeldBounds.Share(requests: 1, bytes: 1000)
        bounds.environment = HeldBounds.Share(requests: 2, bytes: 1000)
        return Scheduler(maxOperations: 256, maxBytes: 1 << 20, bounds: bounds)
    }

    fileprivate static let start = ContinuousClock.now
}

extension WriteScheduler<Int> {
    @discardableResult
    fileprivate mutating func add(
        _ request: Int, zone: ZoneRow, weight: Weight, at now: Instant = WriteSchedulerTests.start
    ) -> [Int] {
        add(Entry(request, zone: zone, weight: weight), now: now)
    }

    fileprivate mutating func taken(now: Instant = WriteSchedulerTests.start) throws -> Work {
        let work = take(now: now)
        return try #require(work)
    }

    fileprivate mutating func take() -> Work? { take(now: WriteSchedulerTests.start) }

    /// Releases a work. The requests in `returned` belong to its first zone if it has one, otherwise to the zones with
    /// their numbers.
    @discardableResult
    fileprivate mutating func giveBack(
        _ work: Work?, returned: [Int] = [], skipped: Set<ZoneRow> = [], at now: Instant = WriteSchedulerTests.start
    ) -> [Int] {
        guard let work else { return [] }
        let entries = returned.map { request in
            let zone = work.zones.count == 1 ? work.zones[0] : ZoneRow(Int64(request))
            return Entry(
                request, zone: zone,
                weight: Weight(
                    operations: 1, bytes: 100, isKept: request == 7,
                    environment: EnvironmentRow(request == 9 ? 2 : 0)))
        }
        return release(work, returned: entries, skipped: skipped, now: now)
    }
}
