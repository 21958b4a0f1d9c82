import Testing

@testable import RecordService

struct WriteSchedulerTests {
    typealias Scheduler = WriteScheduler<Int>

    static let light = Scheduler.Weight(operations: 1, bytes: 100, isSuspect: false)
    static let suspect = Scheduler.Weight(operations: 1, bytes: 100, isSuspect: true)
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
        scheduler.release(work?.zones ?? [], returned: [])
        #expect(scheduler.take()?.requests == [2])
    }

    @Test func aHotZoneLeavesRoomForTheOthers() {
        var scheduler = Scheduler(maxOperations: 2, maxBytes: 1 << 20)
        for request in 1...5 { scheduler.add(request, zone: Self.a, weight: Self.light) }
        scheduler.add(9, zone: Self.b, weight: Self.light)
        let hot = scheduler.take()
        #expect(hot?.requests == [1, 2])
        #expect(scheduler.take()?.requests == [9])
        scheduler.release(hot?.zones ?? [], returned: [])
        #expect(scheduler.take()?.requests == [3, 4])
    }

    @Test func bytesBoundATransactionButNotASingleRequest() {
        var scheduler = Scheduler(maxOperations: 256, maxBytes: 1000)
        let heavy = Scheduler.Weight(operations: 1, bytes: 5000, isSuspect: false)
        scheduler.add(1, zone: Self.a, weight: heavy)
        scheduler.add(2, zone: Self.a, weight: heavy)
        let first = scheduler.take()
        #expect(first?.requests == [1])
        scheduler.release(first?.zones ?? [], returned: [])
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
        scheduler.release(healthy?.zones ?? [], returned: [])
        let first = scheduler.take()
        #expect(first?.requests.count == 1)
        #expect(scheduler.take() == nil, "nor does another suspect")
        scheduler.release(first?.zones ?? [], returned: [])
        let second = scheduler.take()
        #expect(Set((first?.requests ?? []) + (second?.requests ?? [])) == [1, 3])
        scheduler.release(second?.zones ?? [], returned: [])
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
                scheduler.release(work.zones, returned: [])
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
            scheduler.release(work?.zones ?? [], returned: [])
        }
    }

    @Test func aZoneMissedThriceIsWaitedForAlone() {
        var scheduler = Scheduler(maxOperations: 256, maxBytes: 1 << 20)
        scheduler.add(1, zone: Self.a, weight: Self.light)
        for _ in 1...3 {
            let work = scheduler.take()
            #expect(work?.waitsForLock == false)
            scheduler.release([Self.a], returned: [(1, Self.a, Self.light)], skipped: [Self.a])
        }
        scheduler.add(2, zone: Self.b, weight: Self.light)
        let patient = scheduler.take()
        #expect(patient?.waitsForLock == true)
        #expect(patient?.zones == [Self.a])
    }

    @Test func returnedRequestsStandInFront() {
        var scheduler = Scheduler(maxOperations: 256, maxBytes: 1 << 20)
        scheduler.add(1, zone: Self.a, weight: Self.light)
        scheduler.add(2, zone: Self.a, weight: Self.light)
        _ = scheduler.take()
        scheduler.add(3, zone: Self.a, weight: Self.light)
        scheduler.release([Self.a], returned: [(1, Self.a, Self.light), (2, Self.a, Self.light)])
        #expect(scheduler.take()?.requests == [1, 2, 3])
    }

    @Test func aRequestMovedToAnotherRowIsFound() {
        var scheduler = Scheduler(maxOperations: 256, maxBytes: 1 << 20)
        scheduler.add(1, zone: Self.a, weight: Self.light)
        _ = scheduler.take()
        scheduler.release([Self.a], returned: [(1, Self.b, Self.light)])
        let work = scheduler.take()
        #expect(work?.zones == [Self.b])
        scheduler.release([Self.b], returned: [])
        #expect(scheduler.isIdle)
    }
}
