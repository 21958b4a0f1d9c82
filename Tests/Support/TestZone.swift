internal import CloudKitModel
package import Foundation
package import ServiceMessages

/// A user's zone that only one test uses.
package struct TestZone: Sendable {
    /// The address of the zone.
    package var address: ZoneAddress
    /// The zone's incarnation.
    package let incarnation = UUID()

    /// Creates a zone of `user`.
    package init(_ zone: String = "Notes", user: String = TestZone.newUser()) {
        address = ZoneAddress(
            container: "com.example.tests", environment: .development, scope: .private, owner: user,
            zone: ZoneName(unchecked: zone))
    }

    /// Returns the record name of a new user.
    package static func newUser() -> String { "_" + UUID().uuidString.lowercased().filter { $0 != "-" } }

    /// The id of a transaction that is later than every snapshot that a test takes.
    package static let laterXid: UInt64 = 1 << 60

    /// Returns the change event of a transaction that changed one record at each number.
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
