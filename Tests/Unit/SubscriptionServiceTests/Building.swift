import CloudKitModel
import CloudKitWire
import Foundation
import Logging
import ServiceMessages

@testable import SubscriptionService
@testable import SubscriptionStorage

let testLogger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

/// A zone of a user that no other test has.
struct TestZone: Sendable {
    var address: ZoneAddress
    let incarnation = UUID()

    init(_ zone: String = "Notes", user: String = TestZone.newUser()) {
        address = ZoneAddress(
            container: "com.example.tests", environment: "development", scope: "private", owner: user,
            zone: ZoneName(unchecked: zone))
    }

    /// A user that nobody else is.
    static func newUser() -> String { "_" + UUID().uuidString.lowercased().filter { $0 != "-" } }

    /// A transaction that every snapshot taken in a test is earlier than.
    static let laterXid: UInt64 = 1 << 60

    /// The change event of a transaction that changed a record at each number.
    func event(
        _ seqs: ClosedRange<Int64>, xid: UInt64 = TestZone.laterXid, client: String? = nil, isMerged: Bool = false,
        hasRecords: Bool = true, at: Int64 = 1_700_000_000_123
    ) -> ChangeEvent {
        let records = seqs.map { ChangedRecord(name: "r\($0)", type: "Note", seq: $0, kind: .created) }
        return ChangeEvent(
            address: address, incarnation: incarnation, fromSeq: seqs.lowerBound, toSeq: seqs.upperBound, xid: xid,
            client: client, user: address.owner, at: at, syncToken: "token-\(seqs.upperBound)",
            records: hasRecords ? ChangedRecord.json(records) : nil, isMerged: isMerged)
    }

    /// The event as the fan-out reads it.
    func change(
        _ seqs: ClosedRange<Int64>, isMerged: Bool = false, hasRecords: Bool = true, at: Int64 = 1_700_000_000_123
    ) throws -> ZoneChange {
        let event = event(seqs, isMerged: isMerged, hasRecords: hasRecords, at: at)
        return try ZoneChange(JSONValue(parsing: event.json(bounded: true)))
    }
}
