internal import CloudKitModel
internal import CloudKitWire
internal import Foundation
internal import ServiceMessages

/// A change event as the fan-out works with it: read once, its records included.
struct ZoneChange: Sendable, Equatable {
    /// Everything but the records, which would be kept as JSON there.
    private(set) var event: ChangeEvent
    /// What changed; nil: too much for an event, the log has it.
    private(set) var records: [ChangedRecord]?

    /// The zone's incarnation.
    var incarnation: UUID { event.incarnation }
    /// The number of the first change.
    var fromSeq: Int64 { event.fromSeq }
    /// The number of the last change.
    var toSeq: Int64 { event.toSeq }

    /// A change of those parts.
    init(event: ChangeEvent, records: [ChangedRecord]?) {
        self.event = event
        self.event.records = nil
        self.records = records
    }

    /// Reads a change event; `trace` is its message's.
    ///
    /// - Throws: `BAD_REQUEST` when it is none.
    init(_ json: JSONValue, trace: TraceParent? = nil) throws(ServerError) {
        // Without its records, which would be encoded again only to be parsed again.
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

    /// What of it comes after `seq`, which is less than its last change's number.
    func after(_ seq: Int64) -> ZoneChange {
        guard fromSeq <= seq else { return self }
        var rest = self
        rest.event.fromSeq = seq + 1
        rest.records = records?.filter { $0.seq > seq }
        return rest
    }
}
