internal import CloudKitModel
internal import CloudKitWire
internal import Foundation
package import Logging
package import PostgresClient
package import RecordStorage
internal import RequestServing
internal import ServiceMessages

/// Deletes in the background the dependents of deletions that were too large for one transaction, a bounded number at a
/// time: a job for each, which takes whatever its zone has of them. What was done is done; when one is killed in between,
/// or fails, the next goes on.
///
/// It publishes nothing: the subscription service finds the rows of the change log by itself, as it does after a crash.
package struct CascadeJob: Sendable {
    /// Dependents of one transaction.
    private static let recordsPerTransaction = 1000

    private typealias Job = JobTable.Job

    private let pool: PostgresPool
    private let schema: SchemaStore
    private let logger: Logger

    /// A runner over `pool`.
    package init(pool: PostgresPool, schema: SchemaStore, logger: Logger) {
        self.pool = pool
        self.schema = schema
        self.logger = logger
    }

    /// A bounded piece of one job, unless other instances have them all. A job that fails is put off.
    ///
    /// - Returns: whether there may be more to do at once.
    /// - Throws: `PostgresError` when the database is in trouble; nothing was done.
    package func runOnce() async throws -> Bool {
        let jobs = JobTable(pool: pool)
        guard let job = try await jobs.claim([.cascade]), let zone = job.zone else { return false }
        do {
            try await pool.withConnection { try await step(job, zone, on: $0) }
            return true
        } catch let error where (error as? PostgresError)?.isConnectionTrouble != true {
            logger.warning(
                "a job failed; it is put off", metadata: ["job": "\(job.id)", "error": "\(error.logDescription)"])
            try await jobs.putOff(job, error.logDescription)
            return false
        }
    }

    private func step(_ job: Job, _ zoneRow: ZoneRow, on connection: PostgresConnection) async throws {
        let table = CascadeTable(job.environment)
        // The zone first: who waits for it holds up no change of the schema.
        let entry = [.begin, ZoneTable.lock([zoneRow], waiting: true)] + SchemaStore.tryEnter([job.environment])
        let results = try await connection.pipeline(
            entry + [
                PostgresCall("select now()"),
                ZoneTable.incarnation(of: zoneRow),
                table.next(in: zoneRow, limit: Self.recordsPerTransaction),
            ])
        let entered = SchemaStore.entered(Array(results[2..<entry.count]), of: [job.environment])
        guard !entered.environments.isEmpty else {
            throw PostgresError(.server, sqlState: .lockNotAvailable, message: "the schema is being changed")
        }
        let reads = [results[1]] + results[entry.count...]
        guard let zone = ZoneTable.locked(reads[0])[zoneRow], let incarnation = ZoneTable.incarnation(reads[2]) else {
            // The zone was deleted: its rows go with it.
            return try await finish(job, zoneRow, on: connection)
        }
        let found = CascadeTable.Next(reads[3], in: zoneRow)
        if found.dependents.isEmpty, found.finished.isEmpty { return try await finish(job, zoneRow, on: connection) }
        let keys = found.dependents.map(\.key)
        let read = try await connection.pipeline([RecordTable(job.environment).read(keys)])
        var records: [RecordKey: StoredRecord] = [:]
        var omitted: Set<RecordKey> = []
        for (_, record, isOmitted) in try RecordTable.records(read[0]) {
            let key = RecordKey(zone: zoneRow, name: record.name)
            records[key] = record
            if isOmitted { omitted.insert(key) }
        }
        let schema = try await self.schema.snapshot(
            entered: entered.results, [job.environment], records: Array(records.values), on: connection)
        let removal = Removal(
            found.dependents, records: records, omitted: omitted, seq: zone.changeSeq,
            now: reads[1].first?.milliseconds(0) ?? 0, type: { schema.type($0) })
        var calls: [PostgresCall] = []
        if !removal.tombstones.isEmpty {
            calls = removal.writes(in: job.environment, zone: zoneRow, incarnation: incarnation)
            calls += table.add(removal.cascades)
        }
        if !found.finished.isEmpty { calls.append(table.end(found.finished, in: zoneRow)) }
        _ = try await connection.pipeline(calls + [JobTable.endPiece(job), .commit])
    }

    private func finish(_ job: Job, _ zone: ZoneRow, on connection: PostgresConnection) async throws {
        _ = try await connection.pipeline([
            CascadeTable(job.environment).finish(zone), JobTable.finish(job), .commit,
        ])
        logger.info("a cascade is done", metadata: ["job": "\(job.id)"])
    }
}

/// The deletion of dependents: their tombstones, and all that goes with their fields.
private struct Removal {
    private(set) var tombstones: [RecordKey: StoredRecord] = [:]
    private(set) var cascades: [Cascade] = []
    private var runs: [(user: String, changes: [ChangedRecord])] = []
    private var seq: Int64
    private let now: Int64
    private let records: [RecordKey: StoredRecord]
    private let omitted: Set<RecordKey>
    private let type: (RecordTypeID) -> RecordTypeSchema?

    init(
        _ dependents: [CascadeTable.Next.Dependent], records: [RecordKey: StoredRecord], omitted: Set<RecordKey>,
        seq: Int64,
        now: Int64, type: @escaping (RecordTypeID) -> RecordTypeSchema?
    ) {
        (self.records, self.omitted, self.seq, self.now, self.type) = (records, omitted, seq, now, type)
        for dependent in dependents {
            guard let record = records[dependent.key], !record.isTombstone else { continue }
            // One that is logged as it was, and whose fields were too many to be read with the others, waits for the next
            // transaction. The first one's never are.
            if omitted.contains(dependent.key), type(record.type)?.isWatched == true { continue }
            remove(record, dependent)
        }
    }

    private mutating func remove(_ record: StoredRecord, _ dependent: CascadeTable.Next.Dependent) {
        let (key, user) = (dependent.key, dependent.user)
        seq += 1
        tombstones[key] = record.tombstone(
            seq: seq, changeTag: OperationIdentity(dependent: key, seq: seq).changeTag,
            stamp: StoredRecord.Stamp(milliseconds: now, user: user, device: "2"))
        cascades.append(Cascade(key: key, seq: dependent.seq, user: user))
        let type = type(record.type)
        let change = ChangedRecord(
            name: key.name, type: type?.name ?? "", seq: seq, kind: .deleted,
            droppedAssets: omitted.contains(key) ? [] : type?.droppedAssets(from: record.fields, to: nil) ?? [],
            record: (type?.logLayout).flatMap { record.logged(by: $0) })
        if runs.last?.user == user {
            runs[runs.count - 1].changes.append(change)
        } else {
            runs.append((user, [change]))
        }
    }

    func writes(in environment: EnvironmentRow, zone: ZoneRow, incarnation: UUID) -> [PostgresCall] {
        let keys = Array(tombstones.keys)
        let uses = AssetUseChanges(of: keys, from: records, to: tombstones, omitted: omitted, type: type)
        let links = ReferenceChanges(of: keys, from: records, to: tombstones, omitted: omitted, type: type)
        let rows = runs.flatMap { run in
            ChangeLogRow.rows(
                of: run.changes, in: zone, incarnation: incarnation, client: nil, user: run.user, at: now)
        }
        return [RecordTable(environment).write(tombstones.map { ($0.key.zone, $0.value) })]
            + AssetUseTable(environment).write(uses) + ReferenceTable(environment).write(links)
            + [ZoneTable.advance([(zone, seq)]), ChangeLog.insert(rows)]
    }
}
