internal import CloudKitWire
package import PostgresClient

/// Writes the latest states of records, including tombstones, along with everything that follows from them: asset uses,
/// references, cascades, the zones' counters and the change log.
///
/// Asset uses and references are pure functions of a record's fields, parent and type, so this value computes their
/// changes from the records before and after the write. The transaction must have locked the zones.
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
    ///   - after: the records as they will be written.
    ///   - omitted: records that were read without their fields.
    ///   - type: returns the type with the given id.
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
    ///   - assets: the records whose assets might have changed.
    ///   - links: the records whose references might have changed.
    package mutating func add(
        _ environment: EnvironmentRow, records: [RecordKey], assets: [RecordKey], links: [RecordKey],
        inShares: Bool = false
    ) {
        let changed = records.compactMap { key in after[key].map { (key.zone, $0) } }
        if !changed.isEmpty {
            calls.append(
                RecordTable(environment).write(changed, inShares: inShares) { record in
                    type(record.type)?.tokens(of: record.fields)
                })
        }
        let uses = AssetUseChanges(of: assets, from: before, to: after, omitted: omitted, type: type)
        calls += AssetUseTable(environment).write(uses)
        let references = ReferenceChanges(of: links, from: before, to: after, omitted: omitted, type: type)
        calls += ReferenceTable(environment).write(references)
    }

    /// Adds deletions whose dependents are deleted by a background job.
    ///
    /// - Parameter startsJob: whether to start a background job for each zone. Pass false only if the zones already
    ///   have one.
    package mutating func add(_ cascades: [Cascade], of environment: EnvironmentRow, startsJob: Bool) {
        guard !cascades.isEmpty else { return }
        let table = CascadeTable(environment)
        calls += startsJob ? table.begin(cascades) : table.add(cascades)
    }

    /// Returns the statements, in order.
    ///
    /// - Parameters:
    ///   - counters: the number of the last change in each changed zone.
    ///   - log: the rows of the change log.
    package func statements(counters: [(zone: ZoneRow, seq: Int64)], log: [ChangeLogRow]) -> [PostgresCall] {
        calls + [ZoneTable.advance(counters), ChangeLog.insert(log)]
    }
}
