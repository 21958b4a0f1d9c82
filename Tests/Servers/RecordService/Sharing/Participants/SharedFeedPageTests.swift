import CloudKitModel
import Testing

@testable import RecordService
@testable import RecordStorage

/// The merge of members and records that are gone into pages of a participant's feed.
struct SharedFeedPageTests {
    private static func place(_ seq: Int) -> SharedPosition {
        SharedPosition(seq: Int64(seq), recordSeq: Int64(seq), name: RecordName(unchecked: "r\(seq)"))
    }

    /// Walks the feed in pages of `limit`, as the tables would be read, and returns the numbers of the items.
    private static func walk(members: [Int], gone: [Int], limit: Int) -> [Int64] {
        var (position, shown) = (SharedPosition.start, [Int64]())
        while true {
            func read(_ list: [Int]) -> [SharedPosition] {
                Array(list.map(place).filter { $0 > position }.prefix(limit))
            }
            let page = SharedFeedPage(members: read(members), isTooLong: false, gone: read(gone), limit: limit)
            shown += page.items.map(\.place.seq)
            guard page.isCut, let last = page.items.last else { return shown }
            position = last.place
        }
    }

    /// Each page is cut although neither of its lists is: together, they have more items than it has room for.
    @Test func aWalkShowsEachItemOnceForEverySplitAndLimit() {
        let count = 7
        for split in 0..<(1 << count) {
            let members = (1...count).filter { split >> ($0 - 1) & 1 == 0 }
            let gone = (1...count).filter { split >> ($0 - 1) & 1 == 1 }
            for limit in 1...(count + 1) {
                #expect(
                    Self.walk(members: members, gone: gone, limit: limit) == (1...count).map(Int64.init),
                    "\(members) \(gone) \(limit)")
            }
        }
    }

    /// A record left one share and was deleted in another one.
    @Test func aPageShowsARecordOnce() {
        let again = SharedPosition(seq: 4, recordSeq: 4, name: Self.place(1).name)
        let page = SharedFeedPage(members: [Self.place(2), again], isTooLong: false, gone: [Self.place(1)], limit: 9)
        #expect(page.items.map(\.place) == [Self.place(2), again])
        #expect(!page.isCut)
    }

    @Test func aPageWithoutRoomKeepsThePosition() {
        let page = SharedFeedPage(members: [], isTooLong: false, gone: [], limit: 0)
        #expect(page.isCut)
        #expect(page.items.isEmpty)
    }

    @Test func whatFollowsMembersThatWereCutBySizeIsReadAgain() {
        let page = SharedFeedPage(
            members: [Self.place(1), Self.place(3)], isTooLong: true, gone: [Self.place(2), Self.place(4)], limit: 9)
        #expect(page.isCut)
        #expect(page.items.map(\.place.seq) == [1, 2, 3])
        #expect(page.items.map(\.member) == [0, nil, 1])
    }
}
