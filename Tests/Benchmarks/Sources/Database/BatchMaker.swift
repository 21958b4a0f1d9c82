internal import CloudKitModel
internal import CloudKitWire
internal import Foundation
internal import PostgresClient
internal import RecordService
internal import RecordStorage
internal import RequestServing
internal import ServiceMessages

/// Creates the statements of transactions that save records in zones that no other connection writes to.
struct BatchMaker: Sendable {
    /// One transaction.
    struct Batch: Sendable {
        /// The statements that open the transaction, lock the zones and read the existing records. The second result
        /// contains the locked zones.
        var reads: [PostgresCall]
        /// The other statements, except the commit.
        var writes: [PostgresCall]
        /// The number of records that the transaction saves.
        var rowCount: Int
        /// The number of zones that the transaction locks.
        var zoneCount: Int
    }

    private struct Zone {
        let entry: ZoneEntry
        var changeSeq: Int64 = 0
        var recordCount = 0
    }

    /// The number of slots of a load, which affects the order of message ids in their index.
    private static let slotCount = 1024

    private var zones: [Zone]
    private var requestCount = 0
    private let template: RowTemplate
    private let table: RecordTable
    private let user: String
    private let rowsPerRequest: Int
    private let updates: Double
    private let ids = MessageIDs()

    /// Creates batches for `zones`, which must be empty, and of which there must be at least one.
    ///
    /// - Parameter updates: the fraction of requests that replace records if there are any.
    init(zones: [ZoneEntry], template: RowTemplate, user: String, rowsPerRequest: Int, updates: Double) {
        self.zones = zones.map { Zone(entry: $0) }
        self.template = template
        self.user = user
        self.rowsPerRequest = rowsPerRequest
        self.updates = updates
        table = RecordTable(zones[0].database.environment)
    }

    /// Returns the next transaction, with `requests` requests, at the time `now` in milliseconds since 1970.
    mutating func next(requests: Int, now: Int64) -> Batch {
        var contents = Contents()
        for _ in 0..<requests { append(to: &contents, now: now) }
        let touched = contents.changes.keys.sorted()
        return Batch(
            reads: [
                .begin, ZoneTable.lock(touched.map { zones[$0].entry.row }, waiting: false),
                PostgresCall("select pg_current_xact_id(), now()"),
                RequestTable.record.read(contents.requests.map(\.key)),
                table.read(contents.records.map { RecordKey(zone: $0.zone, name: $0.record.name) }),
            ],
            writes: [
                table.write(contents.records),
                ZoneTable.advance(touched.map { (zones[$0].entry.row, zones[$0].changeSeq) }),
                log(touched.map { (zones[$0], contents.changes[$0] ?? []) }, at: now),
                RequestTable.record.insert(contents.requests),
            ],
            rowCount: contents.records.count, zoneCount: touched.count)
    }

    /// The rows that a transaction writes.
    private struct Contents {
        var records: [(zone: ZoneRow, record: StoredRecord)] = []
        var requests: [RequestTable.Row] = []
        /// The changes by the zone's index in `zones`.
        var changes: [Int: [ChangedRecord]] = [:]
        /// The records that have been written, because a statement may write a record only once.
        var written: Set<RecordKey> = []
    }

    /// Appends one request with some records of one zone.
    private mutating func append(to contents: inout Contents, now: Int64) {
        let place = Int.random(in: zones.indices)
        let isUpdate = zones[place].recordCount > 0 && Double.random(in: 0..<1) < updates
        let first = isUpdate ? Int.random(in: 0..<zones[place].recordCount) : zones[place].recordCount
        var outcome = template.outcome
        outcome.operations = []
        for number in first..<(first + rowsPerRequest) {
            let record = save(number, in: place, &contents, now: now)
            contents.records.append((zones[place].entry.row, record))
            outcome.operations.append(.saved(record))
        }
        requestCount += 1
        contents.requests.append(
            RequestTable.Row(
                key: RequestTable.Key(
                    environment: zones[place].entry.database.environment.rawValue, user: user,
                    messageID: MessageID(
                        unchecked: ids.id(slot: requestCount % Self.slotCount, number: requestCount / Self.slotCount))),
                bodyHash: (0..<32).map { _ in .random(in: .min ... .max) }, outcome: OutcomeCodec.encode(outcome)))
    }

    /// Saves the record `wanted` of a zone. Saves a new one if it does not exist, or if this transaction has already
    /// written it.
    private mutating func save(_ wanted: Int, in place: Int, _ contents: inout Contents, now: Int64) -> StoredRecord {
        let isNew = wanted >= zones[place].recordCount || contents.written.contains(key(wanted, in: place))
        let key = key(isNew ? zones[place].recordCount : wanted, in: place)
        contents.written.insert(key)
        if isNew { zones[place].recordCount += 1 }
        zones[place].changeSeq += 1

        var record = template.record
        record.name = key.name
        record.changeSeq = zones[place].changeSeq
        record.changeTag = String(UInt64.random(in: .min ... .max), radix: 36)
        record.created.milliseconds = now
        record.modified.milliseconds = now

        var change = template.change
        change.name = record.name
        change.seq = record.changeSeq
        change.kind = isNew ? .created : .updated
        contents.changes[place, default: []].append(change)
        return record
    }

    private func key(_ number: Int, in place: Int) -> RecordKey {
        RecordKey(zone: zones[place].entry.row, name: "r1000000.\(place).\(number)")
    }

    private func log(_ runs: [(zone: Zone, changes: [ChangedRecord])], at now: Int64) -> PostgresCall {
        ChangeLog.insert(
            runs.map { run in
                ChangeLogRow(
                    zone: run.zone.entry.row, incarnation: run.zone.entry.incarnation,
                    fromSeq: run.changes.first?.seq ?? 0, toSeq: run.changes.last?.seq ?? 0, client: nil, user: user,
                    at: now, records: ChangedRecord.json(run.changes))
            })
    }
}
