import CloudKitWire
import Logging
import ServiceMessages
import SubscriptionStorage
import TestSupport

let testLogger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

extension TestZone {
    /// Returns the event of such a transaction as a change.
    func change(
        _ seqs: ClosedRange<Int64>, isMerged: Bool = false, hasRecords: Bool = true, at: Int64 = 1_700_000_000_123
    ) throws -> ZoneChange {
        let event = event(seqs, isMerged: isMerged, hasRecords: hasRecords, at: at)
        return try ZoneChange(JSONValue(parsing: event.json(bounded: true)))
    }
}
