internal import CloudKitModel
package import Foundation
package import ServiceMessages

/// A zone of a user, unique to a test.
package struct TestZone: Sendable {
    /// Where the zone is.
    package var address: ZoneAddress
    /// Its incarnation.
    package let incarnation = UUID()

    /// Creates a zone of `user`.
    package init(_ zone: String = "Notes", user: String = TestZone.newUser()) {
        address = ZoneAddress(
            container: "com.example.tests", environment: .development, scope: .private, owner: user,
            zone: ZoneName(unchecked: zone))
    }

    /// The record name of a new user.
    package static func newUser() -> String { "_" + UUID().uuidString.lowercased().filter { $0 != "-" } }

    /// A transaction that is later than every snapshot taken in a test.
    package static let laterXid: UInt64 = 1 << 60

    /// The change event of a transaction that changed a record at each number.
    package func event(
        _ seqs: ClosedRange<Int64>, xid: UInt64 = TestZone.laterXid, client: String? = nil, isMerged: Bool = false,
        hasRecords: Bool = true, at: Int64 = 1_700_000_000_123
    ) -> ChangeEvent {
        let records = seqs.map { ChangedRecord(name: "r\($0)", type: "Note", seq: $0, kind: .created) }
        return ChangeEvent(
            address: address, incarnation: incarnation, fromSeq: seqs.lowerBound, toSeq: seqs.upperBound, xid: xid,
            client: client, user: address.owner, at: at, syncToken: "token-\(seqs.upperBound)",
            records: hasRecords ? ChangedRecord.json(records) : nil, isMerged: isMerged)
    }
}
