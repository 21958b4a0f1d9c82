package import CloudKitModel
package import CloudKitWire
package import Foundation
package import ServiceMessages

/// A change event with its records, parsed once.
package struct ZoneChange: Sendable, Equatable {
    /// The event, without its records as JSON.
    package private(set) var event: ChangeEvent
    /// The changed records; nil if there are too many for an event. The change log contains them in any case.
    package private(set) var records: [ChangedRecord]?

    /// The zone's incarnation.
    package var incarnation: UUID { event.incarnation }
    /// The number of the first change.
    package var fromSeq: Int64 { event.fromSeq }
    /// The number of the last change.
    package var toSeq: Int64 { event.toSeq }

    /// Whether records only entered or left shares. For the owner, no record has changed.
    package var onlyMovesRecords: Bool { records?.isEmpty == true && !event.isMerged && !event.isDeletion }

    /// Creates a change.
    package init(event: ChangeEvent, records: [ChangedRecord]?) {
        self.event = event
        self.event.records = nil
        self.records = records
    }

    /// Reads a change event. `trace` is the trace context of its message.
    ///
    /// - Throws: `BAD_REQUEST` if `json` is not a change event.
    package init(_ json: JSONValue, trace: TraceParent? = nil) throws(ServerError) {
        // The records are omitted, because they would be encoded only to be parsed again.
        let members = (json.members ?? []).filter { $0.key != "records" }
        var event = try ChangeEvent(JSONValue.object(members))
        event.trace = trace
        guard event.fromSeq > 0, event.toSeq >= event.fromSeq else {
            throw ServerError(.eventMalformed, "The event's numbers are not in order", field: "toSeq")
        }
        var records: [ChangedRecord]?
        if let elements = json["records"]?.array {
            var read: [ChangedRecord] = []
            read.reserveCapacity(elements.count)
            for element in elements { read.append(try ChangedRecord(element)) }
            records = read
        }
        self.init(event: event, records: records)
    }

    /// Returns the part of the change after `seq`, which must be less than ``toSeq``.
    package func after(_ seq: Int64) -> ZoneChange {
        guard fromSeq <= seq else { return self }
        var rest = self
        rest.event.fromSeq = seq + 1
        rest.records = records?.filter { $0.seq > seq }
        return rest
    }
}
