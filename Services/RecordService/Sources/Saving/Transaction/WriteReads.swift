internal import CloudKitModel
internal import CloudKitWire
internal import PostgresClient
internal import RecordStorage
package import RequestServing
internal import ServiceMessages

/// A read statement of a transaction. All its keys are in one environment.
enum WriteRead {
    /// Records with their fields.
    case records([RecordKey], EnvironmentRow)
    /// Share records with their fields, but without participants.
    case shareRecords([RecordKey], EnvironmentRow)
    /// The records that refer to the given records, and the records that would be deleted with them.
    case incoming([RecordKey], EnvironmentRow)
    /// Whether records exist and, for `owners`, how many records they own.
    case targets([RecordKey], owners: Set<RecordKey>, EnvironmentRow)
    /// Which of the given records are pending deletion. All of them are in one zone.
    case pendingCascade([RecordKey], ZoneRow, EnvironmentRow)
    /// The shares among the given records, and the shares of which the given records are the roots.
    case shares([RecordKey], EnvironmentRow)
    /// The shares that users change only in their own rows.
    case visits([ShareVisitor], EnvironmentRow)
    /// The records below the given records, all of which are in one zone.
    case below([RecordKey], ZoneRow, EnvironmentRow)
    /// The records above the given records.
    case ancestors([RecordKey], EnvironmentRow)
    /// The roots of the live shares of a zone.
    case roots(ZoneRow)
    /// Those of the given records that belong to the given shares, with their fields.
    case visible([RecordKey], [ShareID], ShareMoves, EnvironmentRow)
    /// The access of users to other users' zones.
    case accesses([ShareAccessTable.Writer], EnvironmentRow)

    /// Returns the reads that determine which of `keys` are pending deletion, one per zone.
    static func pendingCascades(_ keys: some Sequence<RecordKey>, in environment: EnvironmentRow) -> [WriteRead] {
        Dictionary(grouping: Set(keys), by: \.zone).sorted { $0.key < $1.key }.map { zone, keys in
            .pendingCascade(keys, zone, environment)
        }
    }

    /// Returns the SQL statements of `reads`. The result of each read is one of the last results, in order.
    static func statements(of reads: [WriteRead], _ limits: Limits) -> [PostgresCall] {
        let followsReferences = reads.contains { read in
            switch read {
            case .incoming, .below: true
            default: false
            }
        }
        return (followsReferences ? [ReferenceTable.byTarget] : []) + reads.map { $0.statement(limits) }
    }

    private func statement(_ limits: Limits) -> PostgresCall {
        switch self {
        case .records(let keys, let environment): return RecordTable(environment).read(keys, marksLeft: true)
        case .shareRecords(let keys, let environment):
            return RecordTable(environment).read(keys, withParticipants: false, marksLeft: true)
        case .incoming(let keys, let environment):
            // Each limit is one above the maximum that a single request can handle. If that many dependents are found,
            // there are too many. If that many references prevent a deletion, the request cannot remove all of them.
            return ReferenceTable(environment).incoming(
                to: keys, limit: limits.maxCascade + 1,
                holders: limits.maxCascade + limits.maxOperationsPerRequest + 1)
        case .targets(let keys, let owners, let environment):
            return ReferenceTable(environment).targets(keys, owners: owners, limit: limits.maxOwningReferences + 1)
        case .pendingCascade(let keys, let zone, let environment):
            return CascadeTable(environment).pending(keys.map(\.name), in: zone)
        case .shares(let keys, let environment): return ShareTable(environment).find(keys)
        case .visits(let visitors, let environment): return ShareTable(environment).find(visitors)
        case .below(let keys, let zone, let environment):
            return MembershipTable(environment).below(keys.map(\.name), in: zone, limit: limits.maxCascade + 1)
        case .ancestors(let keys, let environment):
            return MembershipTable(environment).ancestors(of: keys, limit: keys.count + limits.maxCascade)
        case .roots(let zone): return MembershipTable.roots(of: zone, limit: SharingResolver.maxRoots + 1)
        case .visible(let keys, let shares, let moves, let environment):
            return RecordTable(environment).read(keys, in: shares, moves: moves)
        case .accesses(let writers, let environment): return ShareAccessTable.read(of: writers, in: environment)
        }
    }
}

/// The first reads of a transaction, performed under the zone and schema locks. ``loaded(_:cascading:)`` decodes their
/// results.
struct WriteReads {
    private let requests: [RequestTable.Key]
    private let reads: [WriteRead]
    private let limits: Limits

    /// Creates the reads for `requests`.
    init(_ requests: [WriteRequest], limits: Limits) {
        self.requests = requests.map(\.requestKey)
        self.limits = limits
        reads = Dictionary(grouping: requests, by: \.zone.database.environment).flatMap { environment, requests in
            let named = NamedRecords(requests)
            var reads = [WriteRead.records(named.records, environment)]
            if !named.shares.isEmpty { reads.append(.shareRecords(named.shares, environment)) }
            let writers = Set(requests.lazy.compactMap(\.writer))
            if !writers.isEmpty { reads.append(.accesses(Array(writers), environment)) }
            if !named.deleted.isEmpty { reads.append(.incoming(named.deleted, environment)) }
            if !named.targets.isEmpty {
                reads.append(.targets(named.targets, owners: named.owners, environment))
            }
            return reads
        }
    }

    var statements: [PostgresCall] {
        [TransactionStamp.statement, RequestTable.record.read(requests)] + WriteRead.statements(of: reads, limits)
    }

    /// Decodes the results of ``statements``.
    ///
    /// - Parameter cascading: the locked zones in which records are pending deletion.
    /// - Throws: an error when a record's fields cannot be parsed.
    func loaded(_ results: ArraySlice<PostgresResult>, cascading: Set<ZoneRow>) throws -> LoadedWrites {
        let first = results.startIndex
        var loaded = LoadedWrites(
            transaction: TransactionStamp(results[first]), earlier: RequestTable.rows(results[first + 1]))
        if !cascading.isEmpty {
            let checks = checks(of: cascading)
            loaded.cascades = checks.isEmpty ? .checked([], pending: [:]) : .unchecked(checks)
        }
        try loaded.add(results, of: reads, limits: limits)
        return loaded
    }

    /// Returns the reads that determine which of the named records and their targets are pending deletion.
    private func checks(of zones: Set<ZoneRow>) -> [WriteRead] {
        var keys: [EnvironmentRow: Set<RecordKey>] = [:]
        for read in reads {
            switch read {
            case .records(let records, let environment), .shareRecords(let records, let environment),
                .targets(let records, _, let environment):
                keys[environment, default: []].formUnion(records.lazy.filter { zones.contains($0.zone) })
            case .incoming, .pendingCascade, .shares, .visits, .below, .ancestors, .roots, .visible, .accesses: continue
            }
        }
        return keys.flatMap { environment, keys in WriteRead.pendingCascades(keys, in: environment) }
    }
}

/// The records that the requests of one environment name.
private struct NamedRecords {
    /// The records that operations name, in the order of the requests. With this order, a large read never leaves out
    /// the records of the first request.
    private(set) var records: [RecordKey] = []
    /// The records, most of them shares, whose participants no operation needs.
    private(set) var shares: [RecordKey] = []
    /// The records that operations delete.
    private(set) var deleted: [RecordKey] = []
    /// The records to which saved records refer.
    private(set) var targets: [RecordKey] = []
    /// The targets that will own more records than before.
    private(set) var owners: Set<RecordKey> = []

    init(_ requests: [WriteRequest]) {
        var (seen, seenTargets): (Set<RecordKey>, Set<RecordKey>) = ([], [])
        var visited = Set(requests.flatMap(\.visitedShares))
        for request in requests where !visited.isEmpty { visited.subtract(request.unvisitedKeys) }
        shares = visited.sorted { ($0.zone, $0.name.rawValue) < ($1.zone, $1.name.rawValue) }
        seen = visited
        for request in requests {
            for key in request.keys where seen.insert(key).inserted { records.append(key) }
            for operation in request.body.operations {
                if operation.kind?.isDelete == true {
                    if let name = operation.record.recordName {
                        deleted.append(RecordKey(zone: request.zone.row, name: name))
                    }
                    continue
                }
                for link in operation.record.links {
                    let key = RecordKey(zone: request.zone.row, name: link.target)
                    if seenTargets.insert(key).inserted { targets.append(key) }
                    // Only a newly created record is certain to add a reference. An existing record might already refer
                    // to the target, and unchanged references are not counted.
                    if link.action == .deleteSelf, operation.kind == .create { owners.insert(key) }
                }
            }
        }
    }
}

extension WriteRequest {
    /// The key by which a repeated request is recognized.
    package var requestKey: RequestTable.Key {
        RequestTable.Key(
            environment: zone.database.environment.rawValue, user: context.user, messageID: messageID)
    }

    /// The participant who writes to the zone; nil for a write in the user's own database or in the public database.
    var writer: ShareAccessTable.Writer? {
        isShared ? ShareAccessTable.Writer(zone: zone.row, user: context.user) : nil
    }

    /// The shares that operations change only in the row of the user, and records that a participant deletes: if such
    /// a record is a share, the participant leaves it.
    fileprivate var visitedShares: [RecordKey] {
        body.operations.lazy.filter { isVisit($0) }.compactMap(\.record.recordName).map {
            RecordKey(zone: zone.row, name: $0)
        }
    }

    /// The records that other operations name.
    fileprivate var unvisitedKeys: [RecordKey] {
        zip(body.operations, body.operations.indices).flatMap { operation, position in
            isVisit(operation) ? [] : keys(of: operation, position)
        }
    }

    private func isVisit(_ operation: WireOperation) -> Bool {
        operation.record.share.isOfVisitor || (isShared && operation.kind?.isDelete == true)
    }

    /// The records that the operations name or create with generated names, and the roots of new shares.
    var keys: [RecordKey] {
        body.operations.enumerated().flatMap { keys(of: $1, $0) }
    }

    private func keys(of operation: WireOperation, _ position: Int) -> [RecordKey] {
        let name =
            operation.record.recordName
            ?? (operation.kind?.mayCreate == true ? generatedName(position, of: operation.record) : nil)
        let names = [name, operation.record.share.root?.recordName]
        return names.compactMap { $0.map { RecordKey(zone: zone.row, name: $0) } }
    }

    private func generatedName(_ position: Int, of record: WireRecord) -> RecordName {
        OperationIdentity(request: identity, position: position).recordName(ofShare: record.isShare)
    }
}
