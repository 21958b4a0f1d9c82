import Testing

@testable import SubscriptionService
@testable import SubscriptionStorage

struct TransactionSnapshotTests {
    @Test(
        arguments: [
            ("10:20:12,15", 9, true), ("10:20:12,15", 10, true), ("10:20:12,15", 11, true), ("10:20:12,15", 12, false),
            ("10:20:12,15", 15, false), ("10:20:12,15", 19, true), ("10:20:12,15", 20, false),
            ("10:20:12,15", 21, false),
            ("7:7:", 6, true), ("7:7:", 7, false),
            ("4294967300:4294967310:4294967305", 4_294_967_305, false), ("4294967300:4294967310:4294967305", 9, true),
        ] as [(String, UInt64, Bool)])
    func aCommittedTransactionIsSeenUnlessItEndedLater(text: String, xid: UInt64, isSeen: Bool) throws {
        let snapshot = try #require(TransactionSnapshot(text))
        #expect(snapshot.sees(xid) == isSeen)
    }

    @Test(arguments: ["", "1", "1:2", "1:2:x", "a:2:", "2:1:", "1:2:3:4", "1:2:-1"])
    func anythingElseIsNoSnapshot(text: String) {
        #expect(TransactionSnapshot(text) == nil)
    }
}
