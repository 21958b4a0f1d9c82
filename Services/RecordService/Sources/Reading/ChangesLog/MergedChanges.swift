internal import CloudKitModel
internal import CloudKitWire
internal import Foundation
internal import PostgresClient
internal import RecordStorage
internal import ServiceMessages

/// A stretch of a zone's changes that the log does not reach back to, made good from the feed: each record once, with
/// its last change. What was changed again later is in a later stretch or in the log.
struct MergedChanges: Sendable {
    /// What the feed says of a record.
    struct Entry: Sendable {
        /// Its last change.
        var change: ChangedRecord
        /// Who made it.
        var user: String
        /// When, milliseconds since 1970.
        var at: Int64
        /// Whether its values are told: somebody watches its type, and it is there.
        var hasValue = false
    }

    /// Records of an event, at most.
    static let recordsPerEvent = 200
    /// Events of an answer, at most: that bounds what is read and held.
    static let maxEvents = 10

    /// The zone's numbers that are missing from the log.
    let range: ClosedRange<Int64>
    /// The records whose last change is in it, in order, as many as were read.
    private(set) var entries: [Entry]
    /// Whether these are all.
    private(set) var isComplete: Bool

    /// Whether the values of some are told.
    var hasValues: Bool { entries.contains(where: \.hasValue) }

    /// The events, each beginning where the one before ended, the first at the range's beginning. The last one ends at
    /// the range's end, also when no record is left there, or at the last record read.
    ///
    /// - Parameters:
    ///   - xid: the zone's last transaction: whoever asks since a snapshot hears too much rather than too little.
    ///   - at: when an event happened whose last change has no record any more, milliseconds since 1970.
    ///   - rights: see ``ChangeEvent/rights``.
    ///   - token: the zone's change token after a change.
    func events(
        of address: ZoneAddress, incarnation: UUID, xid: UInt64, at: Int64, rights: Int64? = nil,
        token: (Int64) -> String
    ) -> [ChangeEvent] {
        var events: [ChangeEvent] = []
        var from = range.lowerBound
        func append(_ entries: ArraySlice<Entry>, upTo end: Int64) {
            // The last changes of the range may have been overwritten since: when they happened is not known any more.
            let latest = end == entries.last?.change.seq ? entries.map(\.at).max() : nil
            events.append(
                ChangeEvent(
                    address: address, incarnation: incarnation, fromSeq: from, toSeq: end, xid: xid, client: nil,
                    user: entries.last?.user ?? RequestContext.world, at: latest ?? at,
                    syncToken: token(end), records: ChangedRecord.json(entries.map(\.change)), isMerged: true,
                    rights: rights))
            from = end + 1
        }
        var rest = entries[...]
        while let last = rest.prefix(Self.recordsPerEvent).last {
            let page = rest.prefix(Self.recordsPerEvent)
            rest = rest.dropFirst(Self.recordsPerEvent)
            append(page, upTo: rest.isEmpty && isComplete ? range.upperBound : last.change.seq)
        }
        if entries.isEmpty, isComplete { append([], upTo: range.upperBound) }
        return events
    }
}

extension MergedChanges.Entry {
    /// Creates an entry from what the feed has of a record.
    init(_ summary: RecordTable.Summary) {
        let kind: ChangedRecord.Kind = summary.isDeleted ? .deleted : summary.isUnchanged ? .created : .updated
        change = ChangedRecord(name: summary.name, type: summary.type, seq: summary.seq, kind: kind)
        user = summary.user
        at = summary.at
        hasValue = summary.isWatched && kind != .deleted
    }
}

extension MergedChanges {
    /// Reads the records of watched types as they are now, by the snapshot that the entries were read in. What there is no
    /// room for is left out, and all that comes after it. A round trip if there are any.
    ///
    /// - Throws: `PostgresError`; when a record's fields cannot be parsed.
    mutating func readValues(
        in zone: ZoneRow, of environment: EnvironmentRow, on connection: PostgresConnection
    ) async throws {
        let keys = entries.filter(\.hasValue).map { RecordKey(zone: zone, name: $0.change.name) }
        guard !keys.isEmpty else { return }
        let results = try await connection.pipeline([
            RecordTable(environment).read(keys), EnvironmentSchema.read(environment),
        ])
        guard let schema = EnvironmentSchema(results[1]) else { throw PostgresError.environmentGone }
        var values: [RecordName: JSONValue] = [:]
        for (_, record, isOmitted) in try RecordTable.records(results[0]) where !isOmitted {
            values[record.name] = schema.type(record.type)?.logLayout.flatMap { record.logged(by: $0) }
        }
        for index in entries.indices where entries[index].hasValue {
            guard let value = values[entries[index].change.name] else {
                // The first one is always read.
                (entries, isComplete) = (Array(entries[..<index]), false)
                return
            }
            entries[index].change.record = value
        }
    }
}
