internal import CloudKitWire
package import PostgresClient

/// Writes the newest states of records, tombstones included, with everything that follows from them: asset uses,
/// references, cascades, the zones' counters and the change log.
///
/// Asset uses and references are pure functions of a record's fields, its parent and its type, so this value computes
/// their changes from the records before and after. The zones are locked by the transaction.
package struct ZoneWrite {
    private let before: [RecordKey: StoredRecord]
    private let after: [RecordKey: StoredRecord]
    private let omitted: Set<RecordKey>
    private let type: (RecordTypeID) -> RecordTypeSchema?
    private var calls: [PostgresCall] = []

    /// Creates a write.
    ///
    /// - Parameters:
    ///   - before: the records as they were read.
    ///   - after: the records as they will be.
    ///   - omitted: records that were read without their fields.
    ///   - type: returns the type of a row.
    package init(
        from before: [RecordKey: StoredRecord], to after: [RecordKey: StoredRecord], omitted: Set<RecordKey>,
        type: @escaping (RecordTypeID) -> RecordTypeSchema?
    ) {
        (self.before, self.after, self.omitted, self.type) = (before, after, omitted, type)
    }

    /// Adds records of an environment.
    ///
    /// - Parameters:
    ///   - records: the records that changed.
    ///   - assets: those whose assets may have changed.
    ///   - links: those whose references may have changed.
    package mutating func add(
        _ environment: EnvironmentRow, records: [RecordKey], assets: [RecordKey], links: [RecordKey]
    ) {
        let changed = records.compactMap { key in after[key].map { (key.zone, $0) } }
        if !changed.isEmpty {
            calls.append(
                RecordTable(environment).write(changed) { record in type(record.type)?.tokens(of: record.fields) })
        }
        let uses = AssetUseChanges(of: assets, from: before, to: after, omitted: omitted, type: type)
        calls += AssetUseTable(environment).write(uses)
        let references = ReferenceChanges(of: links, from: before, to: after, omitted: omitted, type: type)
        calls += ReferenceTable(environment).write(references)
    }

    /// Adds deletions of an environment whose dependents a background job deletes.
    ///
    /// - Parameter startsJob: whether the zones may have no such job yet.
    package mutating func add(_ cascades: [Cascade], of environment: EnvironmentRow, startsJob: Bool) {
        guard !cascades.isEmpty else { return }
        let table = CascadeTable(environment)
        calls += startsJob ? table.begin(cascades) : table.add(cascades)
    }

    /// The statements, in order.
    ///
    /// - Parameters:
    ///   - counters: the numbers of the last changes of the changed zones.
    ///   - log: the rows of the change log.
    package func statements(counters: [(zone: ZoneRow, seq: Int64)], log: [ChangeLogRow]) -> [PostgresCall] {
        calls + [ZoneTable.advance(counters), ChangeLog.insert(log)]
    }
}
