import Foundation
import Testing

@testable import CloudKit

@Suite struct SyncScheduleTests {
    private func ended(
        _ schedule: inout SyncSchedule, _ task: SyncSchedule.Task, _ error: CKError?, at now: Duration,
        hasMore: Bool = true, hasProgress: Bool = false
    ) {
        schedule.began(task)
        schedule.ended(task, error, hasMore: hasMore, hasProgress: hasProgress, at: now, jitter: 1)
    }

    @Test("An engine fetches first, then sends; changes in quick succession are sent together")
    func order() throws {
        var schedule = SyncSchedule()
        #expect(schedule.next == nil)
        schedule.begin(hasPendingChanges: true, at: .seconds(1))
        #expect(schedule.next?.task == .fetch && schedule.next?.at == .seconds(1))
        ended(&schedule, .fetch, nil, at: .seconds(2))
        #expect(schedule.next?.task == .send)
        ended(&schedule, .send, nil, at: .seconds(3))
        #expect(schedule.next == nil)
        schedule.changesWereAdded(at: .seconds(10))
        schedule.changesWereAdded(at: .seconds(10) + .milliseconds(100))
        #expect(schedule.next?.at == .seconds(10) + SyncSchedule.quiet)
    }

    @Test("Failures are repeated after growing delays, at least as long as the server demands")
    func delays() throws {
        var schedule = SyncSchedule()
        schedule.begin(hasPendingChanges: false, at: .zero)
        var delays: [Duration] = []
        for _ in 0..<12 {
            ended(&schedule, .fetch, CKError(.networkFailure), at: .zero)
            delays.append(try #require(schedule.next).at)
        }
        #expect(delays[..<3] == [.seconds(2), .seconds(4), .seconds(8)])
        #expect(delays.last == SyncSchedule.maxDelay)
        ended(&schedule, .fetch, CKError(.requestRateLimited, userInfo: [CKErrorRetryAfterKey: 3_600.0]), at: .zero)
        #expect(schedule.next?.at == .seconds(3_600))
        schedule.changesWereAdded(at: .seconds(5))
        #expect(schedule.next?.at == .seconds(3_600), "the server is not asked before it allows it")
        schedule.begin(hasPendingChanges: true, at: .seconds(60))
        #expect(schedule.next?.at == .seconds(60), "the connection is there again")
    }

    @Test("What the application adds again after a conflict is sent at once, but not forever")
    func rejections() throws {
        let error = try #require(CKError.partialFailure(["a": CKError(.serverRecordChanged)]))
        var schedule = SyncSchedule()
        ended(&schedule, .send, error, at: .zero)
        #expect(schedule.next?.at == SyncSchedule.quiet)
        ended(&schedule, .send, error, at: .zero)
        ended(&schedule, .send, error, at: .zero)
        #expect(try #require(schedule.next).at == SyncSchedule.firstDelay * 2)
        ended(&schedule, .send, error, at: .zero, hasProgress: true)
        #expect(schedule.next?.at == SyncSchedule.quiet)
        var idle = SyncSchedule()
        ended(&idle, .send, error, at: .zero, hasMore: false)
        #expect(idle.next == nil)
    }
}
