import CloudKitModel
import Testing

@testable import RecordService
@testable import RecordStorage

/// Readings of a zone in pages, forwards and backwards.
struct ZoneWalkTests {
    private static func token(
        _ position: Int64, horizon: Int64? = nil, descent: ZoneChangeToken.Descent? = nil
    ) -> ZoneChangeToken {
        ZoneChangeToken(
            store: 1, address: 2, zone: 3, position: position, horizon: horizon ?? position, descent: descent)
    }

    private static func after(_ end: ZoneWalk.End) -> ZoneChangeToken {
        token(end.position, horizon: end.horizon, descent: end.descent)
    }

    @Test func aWalkFromNothingKeepsItsHorizonAndEndsAtTheCounter() {
        let first = ZoneWalk(from: nil, reverse: false)
        #expect(first.unknownTombstones == nil)
        let cut = first.end(of: [1, 3], counter: 9, isCut: true)
        #expect(cut == ZoneWalk.End(position: 3, horizon: 9, moreComing: true))
        let second = ZoneWalk(from: Self.after(cut), reverse: false)
        #expect(second.unknownTombstones == 9)
        // Two changes were made in the meantime.
        let end = second.end(of: [7, 10, 11], counter: 11, isCut: false)
        #expect(end == ZoneWalk.End(position: 11, horizon: 11, moreComing: false))
        #expect(ZoneWalk(from: Self.after(end), reverse: false).unknownTombstones == 0)
    }

    @Test func whatIsCommittedAfterTheCounterWasReadIsNotMetTwice() {
        for reverse in [false, true] {
            let changes: [Int64] = reverse ? [10, 4] : [4, 10]
            let end = ZoneWalk(from: Self.token(3), reverse: reverse).end(of: changes, counter: 9, isCut: false)
            #expect(end == ZoneWalk.End(position: 10, horizon: 10, moreComing: false))
        }
    }

    @Test func aPageWithoutRoomContinuesWhereItWas() {
        let token = Self.token(3, horizon: 5)
        let end = ZoneWalk(from: token, reverse: false).end(of: [], counter: 9, isCut: true)
        #expect(Self.after(end) == token)
        #expect(end.moreComing)
        let reverse = ZoneWalk(from: token, reverse: true).end(of: [], counter: 9, isCut: true)
        #expect(Self.after(reverse).descent == ZoneChangeToken.Descent(ceiling: 9, next: 10))
    }

    @Test func aWalkBackwardsEndsWhereAWalkForwardsDoes() {
        let first = ZoneWalk(from: Self.token(2), reverse: true)
        #expect(first.ceiling == .max)
        let cut = first.end(of: [9, 8], counter: 9, isCut: true)
        // The token continues backwards, whether or not the request says so.
        let second = ZoneWalk(from: Self.after(cut), reverse: false)
        #expect(second.ceiling == 8)
        #expect(second.position == 2)
        #expect(second.unknownTombstones == 0)
        let end = second.end(of: [5], counter: 12, isCut: false)
        #expect(end == ZoneWalk.End(position: 9, horizon: 9, moreComing: false))
    }

    @Test func aWalkBackwardsFromNothingKnowsNoTombstones() {
        let first = ZoneWalk(from: nil, reverse: true)
        #expect(first.unknownTombstones == nil)
        let cut = first.end(of: [9, 8], counter: 9, isCut: true)
        #expect(ZoneWalk(from: Self.after(cut), reverse: true).unknownTombstones == 9)
    }

    @Test(arguments: [
        (token(5, horizon: 8), 8 as Int64, nil as ChangeTokenExpiry?), (token(5, horizon: 8), 9, .purged),
        (token(21), 0, .restored), (token(5, descent: .init(ceiling: 21, next: 7)), 0, .restored),
        // Tombstones between the position and the ceiling are still needed.
        (token(5, descent: .init(ceiling: 15, next: 14)), 6, .purged),
    ])
    func aTokenExpiresWhenItsHorizonIsBelowThePurgeMark(
        token: ZoneChangeToken, mark: Int64, cause: ChangeTokenExpiry?
    ) {
        let expected = cause.map { ServerError.changeTokenExpired($0) }
        let error: ServerError?
        do throws(ServerError) {
            try ZoneWalk(from: token, reverse: false).check(counter: 20, purgeMark: mark)
            error = nil
        } catch let thrown { error = thrown }
        #expect(error == expected)
    }
}
