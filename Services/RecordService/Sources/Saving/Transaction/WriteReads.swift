internal import CloudKitModel
internal import CloudKitWire
internal import PostgresClient
internal import RecordStorage
package import RequestServing
internal import ServiceMessages

/// One statement of a transaction that reads, by what it reads. All keys are of one environment.
enum WriteRead {
    /// Records with their fields.
    case records([RecordKey], EnvironmentRow)
    /// The records that refer to these, and those that would be deleted with them.
    case incoming([RecordKey], EnvironmentRow)
    /// Whether records exist and, of the owners among them, how many records they own.
    case targets([RecordKey], owners: Set<RecordKey>, EnvironmentRow)
    /// Which of the records of one zone a background job is about to delete.
    case pendingCascade([RecordKey], ZoneRow, EnvironmentRow)

    /// The reads that find out which of `keys` a background job is about to delete: one for each zone.
    static func pendingCascades(_ keys: some Sequence<RecordKey>, in environment: EnvironmentRow) -> [WriteRead] {
        Dictionary(grouping: Set(keys), by: \.zone).sorted { $0.key < $1.key }.map { zone, keys in
            .pendingCascade(keys, zone, environment)
        }
    }

    /// The statement.
    func statement(_ limits: Limits) -> PostgresCall {
        switch self {
        case .records(let keys, let environment): return RecordTable(environment).read(keys)
        case .incoming(let keys, let environment):
            // One more than may be deleted shows that there are too many. Of references that prevent a deletion, one more
            // than one request can delete.
            return ReferenceTable(environment).incoming(
                to: keys, limit: limits.maxCascade + 1,
                holders: limits.maxCascade + limits.maxOperationsPerRequest + 1)
        case .targets(let keys, let owners, let environment):
            return ReferenceTable(environment).targets(keys, owners: owners, limit: limits.maxOwningReferences + 1)
        case .pendingCascade(let keys, let zone, let environment):
            return CascadeTable(environment).pending(keys.map(\.name), in: zone)
        }
    }
}

/// What a transaction reads first, under the locks of zones and schemas. Its one transition is ``loaded(_:cascading:)``.
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
            if !named.deleted.isEmpty { reads.append(.incoming(named.deleted, environment)) }
            if !named.targets.isEmpty {
                reads.append(.targets(named.targets, owners: named.owners, environment))
            }
            return reads
        }
    }

    /// The statements.
    var statements: [PostgresCall] {
        [TransactionStamp.statement, RequestTable.record.read(requests)]
            + reads.map { $0.statement(limits) }
    }

    /// Decodes what ``statements`` brought.
    ///
    /// - Parameter cascading: the locked zones in which a background job is about to delete records.
    /// - Throws: when a record's fields cannot be parsed.
    func loaded(_ results: ArraySlice<PostgresResult>, cascading: Set<ZoneRow>) throws -> LoadedWrites {
        let first = results.startIndex
        var loaded = LoadedWrites(
            transaction: TransactionStamp(results[first]), earlier: RequestTable.rows(results[first + 1]))
        if !cascading.isEmpty {
            let checks = checks(of: cascading)
            loaded.cascades = checks.isEmpty ? .checked([], pending: [:]) : .unchecked(checks)
        }
        try loaded.add(results.dropFirst(2), of: reads)
        return loaded
    }

    /// The reads that find out which of the records at hand a background job is about to delete.
    private func checks(of zones: Set<ZoneRow>) -> [WriteRead] {
        var keys: [EnvironmentRow: Set<RecordKey>] = [:]
        for read in reads {
            switch read {
            case .records(let records, let environment), .targets(let records, _, let environment):
                keys[environment, default: []].formUnion(records.lazy.filter { zones.contains($0.zone) })
            case .incoming, .pendingCascade: continue
            }
        }
        return keys.flatMap { environment, keys in WriteRead.pendingCascades(keys, in: environment) }
    }
}

/// The records that the requests of one environment name.
private struct NamedRecords {
    /// Those that operations name, in the order of the requests, so that the first request's records are never left out
    /// of a large read.
    private(set) var records: [RecordKey] = []
    /// Those that operations delete.
    private(set) var deleted: [RecordKey] = []
    /// Those that saved records refer to.
    private(set) var targets: [RecordKey] = []
    /// Those targets that will own more records than before.
    private(set) var owners: Set<RecordKey> = []

    init(_ requests: [WriteRequest]) {
        var (seen, seenTargets): (Set<RecordKey>, Set<RecordKey>) = ([], [])
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
                    // A record that exists may refer to it already, and what does not change is not counted.
                    if link.action == .deleteSelf, operation.kind == .create { owners.insert(key) }
                }
            }
        }
    }
}

extension WriteRequest {
    /// The identity by which a repeat is recognised.
    package var requestKey: RequestTable.Key {
        RequestTable.Key(
            environment: zone.database.environment.rawValue, user: context.user, messageID: messageID)
    }

    /// The records that its operations name or will name.
    fileprivate var keys: [RecordKey] {
        body.operations.enumerated().compactMap { position, operation in
            let name =
                operation.record.recordName ?? (operation.kind?.mayCreate == true ? generatedName(position) : nil)
            return name.map { RecordKey(zone: zone.row, name: $0) }
        }
    }

    private func generatedName(_ position: Int) -> RecordName {
        OperationIdentity(request: identity, position: position).recordName
    }
}
