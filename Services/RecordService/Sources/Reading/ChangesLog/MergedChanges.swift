internal import CloudKitModel
internal import CloudKitWire
internal import Foundation
internal import PostgresClient
internal import RecordStorage
internal import ServiceMessages

/// The changes to a zone in a range of change numbers that the log no longer contains. The changes are taken from the
/// feed, which contains each record once, with its last change. If a record changed again after the range, that change
/// is in a later range or in the log.
struct MergedChanges: Sendable {
    /// A record in the feed.
    struct Entry: Sendable {
        /// The record's last change.
        var change: ChangedRecord
        /// The user who made the change.
        var user: String
        /// The time of the change, in milliseconds since 1970.
        var at: Int64
        /// Whether the record's values are included: its type is watched and the record exists.
        var hasValue = false
    }

    /// The maximum number of records in an event.
    static let recordsPerEvent = 200
    /// The maximum number of events in an answer. It limits the data that is read and kept in memory.
    static let maxEvents = 10

    /// The change numbers that are missing from the log.
    let range: ClosedRange<Int64>
    /// The records that were read, in order. Their last changes are in the range.
    private(set) var entries: [Entry]
    /// Whether ``entries`` contains all records whose last change is in the range.
    private(set) var isComplete: Bool

    /// Whether the values of any record are included.
    var hasValues: Bool { entries.contains(where: \.hasValue) }

    /// Returns the events. The first event begins at the start of the range, and each later one begins right after the
    /// previous one. If all records were read, the last event ends at the end of the range, even if no record's last
    /// change has that number any longer; otherwise, it ends at the last record read.
    ///
    /// - Parameters:
    ///   - xid: the zone's last transaction. A caller that compares it with a snapshot might therefore get too many
    ///     changes, but never too few.
    ///   - at: the time, in milliseconds since 1970, for an event whose last change has since been overwritten.
    ///   - rights: see ``ChangeEvent/rights``.
    ///   - token: returns the zone's sync token after a change.
    func events(
        of address: ZoneAddress, incarnation: UUID, xid: UInt64, at: Int64, rights: Int64? = nil,
        token: (Int64) -> String
    ) -> [ChangeEvent] {
        var events: [ChangeEvent] = []
        var from = range.lowerBound
        func append(_ entries: ArraySlice<Entry>, upTo end: Int64) {
            // If the last changes of the range have been overwritten, their time is unknown.
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
    /// Creates an entry from the feed's summary of a record.
    init(_ summary: RecordTable.Summary) {
        let kind: ChangedRecord.Kind = summary.isDeleted ? .deleted : summary.isUnchanged ? .created : .updated
        change = ChangedRecord(name: summary.name, type: summary.type, seq: summary.seq, kind: kind)
        user = summary.user
        at = summary.at
        hasValue = summary.isWatched && kind != .deleted
    }
}

extension MergedChanges {
    /// Reads the current values of the records whose types are watched, in the same snapshot as the entries. The first
    /// entry whose values do not fit is removed, together with all entries after it. Takes one round trip if there are
    /// values to read.
    ///
    /// - Throws: `PostgresError`, or an error if a record's fields cannot be parsed.
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
                // The values of the first record are always read.
                (entries, isComplete) = (Array(entries[..<index]), false)
                return
            }
            entries[index].change.record = value
        }
    }
}
