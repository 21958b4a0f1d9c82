import CloudKitModel
import CloudKitWire
import Foundation
import ServiceMessages
import TestSupport
import Testing

@testable import SubscriptionStorage

/// The changes for which zone and database subscriptions fire.
struct SubscriptionFiringTests {
    private func fires(_ edit: (inout ChangeEvent) -> Void) throws -> Bool {
        var event = TestZone("Notes").event(3...3)
        edit(&event)
        let subscription = StoredSubscription(
            id: UUID(), environment: 1, user: event.address.owner, subscriptionID: "watch", kind: .database,
            recordType: nil, snapshot: TransactionSnapshot(TransactionSnapshot.oldest))
        return subscription.fires(for: try ZoneChange(JSONValue(parsing: event.json(bounded: false))))
    }

    @Test func anOwnersSubscriptionDoesNotFireForRecordsThatOnlyEnterOrLeaveShares() throws {
        #expect(try fires { _ in })
        #expect(try !fires { $0.records = Array("[]".utf8) })
    }

    @Test func deletionsAndMergedChangesFireWithoutRecords() throws {
        for path in [\ChangeEvent.isDeletion, \.isMerged] {
            #expect(
                try fires { event in
                    event.records = Array("[]".utf8)
                    event[keyPath: path] = true
                })
        }
    }
}
