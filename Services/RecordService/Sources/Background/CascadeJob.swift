internal import CloudKitModel
internal import Foundation
package import Logging
package import PostgresClient
package import RecordStorage
internal import RequestServing
internal import ServiceMessages

/// Completes, in the background, cascades that were too large for one transaction. Each such cascade starts a job,
/// which works on all cascades in the zone. A step deletes a bounded number of dependents in one transaction. After an
/// interruption, the next step continues the work.
///
/// The job publishes no events. The subscription service finds the changes in the change log, as it does after a crash.
package struct CascadeJob: Sendable {
    /// The number of dependents that one transaction deletes.
    private static let recordsPerTransaction = 1000

    private let pool: PostgresPool
    private let schema: SchemaStore
    private let logger: Logger
    /// The maximum number of records below the dependents that leave their shares in the same transaction. If there are
    /// more, ``ShareMoveJob`` moves them.
    private let orphansPerTransaction: Int

    /// Creates a job that uses `pool`.
    ///
    /// - Parameter orphansPerTransaction: the maximum number of records below the dependents that leave their shares in
    ///   the same transaction.
    package init(pool: PostgresPool, schema: SchemaStore, logger: Logger, orphansPerTransaction: Int = 10_000) {
        self.orphansPerTransaction = orphansPerTransaction
        self.pool = pool
        self.schema = schema
        self.logger = logger
    }

    /// Runs one step of a job that no other instance is working on, if there is such a job. A failed job is postponed.
    ///
    /// - Returns: whether there might be more work to do immediately.
    /// - Throws: `PostgresError` if the database is unavailable, in which case nothing has changed.
    package func runOnce() async throws -> Bool {
        let jobs = JobTable(pool: pool)
        guard let job = try await jobs.claim([.cascade]), let zone = job.zone else { return false }
        do {
            try await pool.withConnection { try await step(job, zone, on: $0) }
            return true
        } catch let error where (error as? PostgresError)?.isConnectionFailure != true {
            logger.warning(
                "a job failed and was postponed", metadata: ["job": "\(job.id)", "error": "\(error.logDescription)"])
            try await jobs.putOff(job, error.logDescription)
            return false
        }
    }

    private func step(_ job: JobTable.Job, _ zoneRow: ZoneRow, on connection: PostgresConnection) async throws {
        let table = CascadeTable(job.environment)
        // The zone is locked before the schema, so that a transaction that is waiting for the zone does not delay
        // schema changes.
        let entry = [.begin, ZoneTable.lock([zoneRow], waiting: true)] + SchemaStore.tryEnter([job.environment])
        let results = try await connection.pipeline(
            entry + [
                TransactionStamp.statement, ZoneTable.incarnation(of: zoneRow),
                table.next(in: zoneRow, limit: Self.recordsPerTransaction),
            ])
        let entered = SchemaStore.entered(Array(results[2..<entry.count]), of: [job.environment])
        guard !entered.environments.isEmpty else {
            throw PostgresError(.server, sqlState: .lockNotAvailable, message: "the schema is being changed")
        }
        let reads = results[entry.count...]
        let now = TransactionStamp(reads[entry.count]).milliseconds
        guard let zone = ZoneTable.locked(results[1])[zoneRow],
            let incarnation = ZoneTable.incarnation(reads[entry.count + 1])
        else {
            // The zone has been deleted, and its rows are removed with it.
            return try await finish(job, zoneRow, on: connection)
        }
        let next = CascadeTable.Next(reads[entry.count + 2], in: zoneRow)
        if next.dependents.isEmpty, next.finished.isEmpty { return try await finish(job, zoneRow, on: connection) }
        let read = try await connection.pipeline([
            RecordTable(job.environment).read(next.dependents.map(\.key), marksLeft: true)
        ])
        let rows = try RecordTable.records(read[0])
        let schema = try await self.schema.snapshot(
            entered: entered.results, [job.environment], records: rows.map(\.record), on: connection)
        var removal = DependentRemoval(
            records: rows, in: zoneRow, seq: zone.changeSeq, now: now, type: { schema.type($0) })
        if !removal.shareNames.isEmpty {
            let keys = removal.shareNames.map { RecordKey(zone: zoneRow, name: $0) }
            let read = try await connection.pipeline([RecordTable(job.environment).read(keys)])
            removal.add(try RecordTable.records(read[0]))
        }
        removal.mark(RecordTable.left(read[0]))
        for dependent in next.dependents { removal.remove(dependent) }
        let orphans = try await orphans(of: removal, moves: zone.moves, in: job.environment, on: connection)
        let shares = removal.shares
        var calls = removal.statements(
            in: job.environment, incarnation: incarnation, inShares: zone.sharing != .none)
        if !shares.isEmpty {
            let table = ShareTable(job.environment)
            calls += table.end(shares.map { (zoneRow, $0.id, $0.seq) }) + [table.countShares(of: [zoneRow])]
        }
        calls += orphans + MembershipTable(job.environment).depart(removal.departures)
        if !next.finished.isEmpty { calls.append(table.end(next.finished, in: zoneRow)) }
        _ = try await connection.pipeline(calls + [JobTable.endPiece(job), .commit])
    }

    /// Returns the statements by which the records below deleted ones leave their share: those that are not deleted have
    /// lost the way to the root. If there are too many of them, or ``ShareMoveJob`` is at work in the zone, that job moves
    /// them. Reads nothing unless a deleted record was in a share that has not ended.
    private func orphans(
        of removal: DependentRemoval, moves: ShareMoves, in environment: EnvironmentRow,
        on connection: PostgresConnection
    ) async throws -> [PostgresCall] {
        let zone = removal.zone
        func deferred(_ names: [RecordName]) -> [PostgresCall] {
            ShareMoveTable(environment).begin(
                names.map { (RecordKey(zone: zone, name: $0), .leaving) })
        }
        guard moves == .none else { return deferred(removal.removed) }
        guard !removal.members.isEmpty else { return [] }
        let table = MembershipTable(environment)
        let read = try await connection.pipeline([
            ReferenceTable.byTarget, table.below(removal.members, in: zone, limit: orphansPerTransaction + 1),
        ])
        let nodes = MembershipTable.Node.nodes(read[1])
        guard nodes.count <= orphansPerTransaction else { return deferred(removal.members) }
        let ended = Set(removal.shares.map(\.id))
        let departures = nodes.compactMap { node -> MembershipTable.Departure? in
            let key = RecordKey(zone: zone, name: node.name)
            guard let old = node.membership, !old.isEnded, !ended.contains(old.share), !removal.hasRemoved(key) else {
                return nil
            }
            return MembershipTable.Departure(key: key, share: old.share, seq: removal.seq, since: old.since)
        }
        guard !departures.isEmpty else { return [] }
        let move = MembershipTable.Move(zone: zone, names: departures.map(\.key.name), share: nil, seq: removal.seq)
        return table.move([move]) + table.depart(departures)
    }

    private func finish(_ job: JobTable.Job, _ zone: ZoneRow, on connection: PostgresConnection) async throws {
        _ = try await connection.pipeline([
            CascadeTable(job.environment).finish(zone), JobTable.finish(job), .commit,
        ])
        logger.info("a cascade has finished", metadata: ["job": "\(job.id)"])
    }
}

/// The deletion of dependents in one zone.
private struct DependentRemoval {
    let zone: ZoneRow
    private let now: Int64
    private var records: [RecordKey: StoredRecord]
    private var omitted: Set<RecordKey>
    private let type: (RecordTypeID) -> RecordTypeSchema?
    private(set) var seq: Int64
    /// The shares that end, each with the change number of the deletion of the share record.
    private(set) var shares: [(id: ShareID, seq: Int64)] = []
    /// The departures of records that had already left their shares.
    private(set) var departures: [MembershipTable.Departure] = []
    private var tombstones: [RecordKey: StoredRecord] = [:]
    private var cascades: [Cascade] = []
    /// The changes in order, grouped into runs of changes by the same user.
    private var runs: [(user: String, changes: [ChangedRecord])] = []

    init(
        records rows: [(zone: ZoneRow, record: StoredRecord, isOmitted: Bool)], in zone: ZoneRow, seq: Int64,
        now: Int64, type: @escaping (RecordTypeID) -> RecordTypeSchema?
    ) {
        (self.zone, self.now, self.seq, self.type) = (zone, now, seq, type)
        func key(_ record: StoredRecord) -> RecordKey { RecordKey(zone: zone, name: record.name) }
        records = Dictionary(rows.map { (key($0.record), $0.record) }, uniquingKeysWith: { first, _ in first })
        omitted = Set(rows.filter(\.isOmitted).map { key($0.record) })
    }

    /// The names of the shares whose roots are among the records. The shares must be added before their roots are
    /// removed.
    var shareNames: [RecordName] { records.values.compactMap(\.rootShareName) }

    /// Adds records that were read.
    mutating func add(_ rows: [(zone: ZoneRow, record: StoredRecord, isOmitted: Bool)]) {
        // A record that has already been read with its fields is not replaced by one without fields.
        for row in rows {
            let key = RecordKey(zone: zone, name: row.record.name)
            guard records[key] == nil || !row.isOmitted else { continue }
            records[key] = row.record
            if row.isOmitted { omitted.insert(key) } else { omitted.remove(key) }
        }
    }

    /// Marks records that no longer belong to the shares in which they are stored.
    mutating func mark(_ left: [RecordKey]) {
        for key in left { records[key]?.membership?.hasLeft = true }
    }

    /// Deletes a dependent, along with its share if the dependent is the root of one, unless they have already been
    /// deleted or must wait for the next transaction. A record must wait if its change is to be logged with the
    /// record's values but the record was read without its fields. The fields of the first dependent, and of the first
    /// share, are always read.
    mutating func remove(_ dependent: CascadeTable.Next.Dependent) {
        guard let record = records[dependent.key], !record.isTombstone, !mustWait(dependent.key) else { return }
        guard let name = record.rootShareName else {
            delete(record, dependent)
            // A share can itself be a dependent, because it can refer to other records.
            if record.sharing?.shareName == record.name, let id = record.membership?.share { shares.append((id, seq)) }
            return
        }
        let share = CascadeTable.Next.Dependent(
            key: RecordKey(zone: zone, name: name), seq: dependent.seq, user: dependent.user)
        guard !mustWait(share.key) else { return }
        delete(record, dependent)
        if let record = records[share.key], !record.isTombstone, tombstones[share.key] == nil { delete(record, share) }
        if let id = record.membership?.share { shares.append((id, seq)) }
    }

    /// Whether the record has been deleted.
    func hasRemoved(_ key: RecordKey) -> Bool { tombstones[key] != nil }

    /// The deleted records.
    var removed: [RecordName] { tombstones.keys.map(\.name) }

    /// The deleted records that belonged to shares that have not ended.
    var members: [RecordName] {
        let ended = Set(shares.map(\.id))
        return tombstones.compactMap { key, tombstone in
            guard let membership = tombstone.membership, !membership.isEnded, !ended.contains(membership.share) else {
                return nil
            }
            return key.name
        }
    }

    private func mustWait(_ key: RecordKey) -> Bool {
        guard let record = records[key], omitted.contains(key) else { return false }
        return type(record.type)?.isWatched == true
    }

    private mutating func delete(_ record: StoredRecord, _ dependent: CascadeTable.Next.Dependent) {
        let (key, user) = (dependent.key, dependent.user)
        guard tombstones[key] == nil else { return }
        seq += 1
        let deletion = RecordDeletion(
            of: record, type: type(record.type), seq: seq,
            changeTag: OperationIdentity(dependent: key, seq: seq).changeTag,
            stamp: StoredRecord.Stamp(milliseconds: now, user: user, device: "2"), isOmitted: omitted.contains(key))
        tombstones[key] = deletion.tombstone
        if let departed = deletion.departed {
            departures.append(
                MembershipTable.Departure(key: key, share: departed.share, seq: seq, since: departed.since))
        }
        cascades.append(Cascade(key: key, seq: dependent.seq, user: user))
        if runs.last?.user == user {
            runs[runs.count - 1].changes.append(deletion.change)
        } else {
            runs.append((user, [deletion.change]))
        }
    }

    /// Returns the statements that write the deletions; empty if there are no deletions.
    func statements(in environment: EnvironmentRow, incarnation: UUID, inShares: Bool) -> [PostgresCall] {
        guard !tombstones.isEmpty else { return [] }
        let rows = runs.flatMap { run in
            ChangeLogRow.rows(
                of: run.changes, in: zone, incarnation: incarnation, client: nil, user: run.user, at: now)
        }
        let keys = Array(tombstones.keys)
        var write = ZoneWrite(from: records, to: tombstones, omitted: omitted, type: type)
        write.add(environment, records: keys, assets: keys, links: keys, inShares: inShares)
        write.add(cascades, of: environment, startsJob: false)
        return write.statements(counters: [(zone, seq)], log: rows)
    }
}

extension StoredRecord {
    /// The name of the share of which the record is the root; nil if the record is not the root of a live share.
    fileprivate var rootShareName: RecordName? { sharing?.isRoot == true ? sharing?.shareName : nil }
}
