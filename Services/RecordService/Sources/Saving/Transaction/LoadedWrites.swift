internal import CloudKitModel
internal import PostgresClient
internal import RecordStorage
internal import RequestServing

/// The data that a transaction has read.
struct LoadedWrites {
    /// What is known about records that are pending deletion.
    enum Cascades {
        /// No locked zone has records that are pending deletion.
        case none
        /// The locked zones might contain such records. These reads, of which there is at least one, find them.
        case unchecked([WriteRead])
        /// The checked records and, for each one that is pending deletion, the number of the deletion on which it
        /// depends.
        case checked(Set<RecordKey>, pending: [RecordKey: Int64])
    }

    /// The identity and the time of the transaction.
    let transaction: TransactionStamp
    /// The stored rows of those requests in the transaction that were executed earlier.
    let earlier: [RequestTable.Key: RequestTable.Row]
    /// The records, including tombstones.
    private(set) var records: [RecordKey: StoredRecord] = [:]
    /// The records whose fields were left out because the read would have grown too large.
    private(set) var omitted: Set<RecordKey> = []
    /// Whether the records that a participant named have been read again, without those that are hidden from the
    /// participant.
    private(set) var hasReadVisible = false
    /// The references that were read.
    private(set) var graph = ReferenceGraph()
    /// What was read about shares.
    private(set) var sharing = SharingKnowledge()
    /// What is known about records that are pending deletion.
    var cascades = Cascades.none

    /// Creates the initial state, in which no record has been read.
    init(transaction: TransactionStamp, earlier: [RequestTable.Key: RequestTable.Row]) {
        self.transaction = transaction
        self.earlier = earlier
    }

    /// Returns what was read about shares, combined with the sharing state of each locked zone.
    func sharing(in locked: LockedWrites) -> SharingKnowledge {
        var sharing = sharing
        (sharing.zones, sharing.moves) = (locked.sharing, locked.moves)
        return sharing
    }

    /// Adds the results of `reads`.
    ///
    /// - Parameter results: the results of ``WriteRead/statements(of:_:)``, which other results may precede.
    /// - Throws: an error if a record's fields cannot be parsed.
    mutating func add(_ results: some Collection<PostgresResult>, of reads: [WriteRead], limits: Limits) throws {
        for (read, result) in zip(reads, results.suffix(reads.count)) {
            switch read {
            case .records(let keys, _), .shareRecords(let keys, _):
                for (zone, record, isOmitted) in try RecordTable.records(result) {
                    let key = RecordKey(zone: zone, name: record.name)
                    records[key] = record
                    if isOmitted { omitted.insert(key) }
                }
                for key in RecordTable.left(result) { records[key]?.membership?.hasLeft = true }
                sharing.read(keys) { records[$0] != nil }
            case .incoming: ReferenceTable.load(incoming: result, into: &graph)
            case .targets: ReferenceTable.load(targets: result, into: &graph)
            case .pendingCascade(let keys, let zone, _): check(keys, CascadeTable.pending(result, in: zone))
            case .shares: sharing.read(shares: ShareTable.found(result))
            case .visits(let visitors, _): sharing.read(visits: ShareTable.found(result, of: visitors))
            case .below(let keys, _, _):
                sharing.read(below: keys, MembershipTable.Node.nodes(result), limit: limits.maxCascade)
            case .ancestors(let keys, _):
                sharing.read(ancestors: MembershipTable.ancestors(result), above: keys)
            case .roots(let zone): sharing.read(roots: MembershipTable.roots(result), of: zone)
            case .visible:
                hasReadVisible = true
                for (zone, record, isOmitted) in try RecordTable.records(result) where !isOmitted {
                    let key = RecordKey(zone: zone, name: record.name)
                    records[key] = record
                    omitted.remove(key)
                }
            case .accesses: sharing.read(accesses: ShareAccessTable.accesses(result))
            }
        }
    }

    private mutating func check(_ keys: [RecordKey], _ found: [(key: RecordKey, seq: Int64)]) {
        var (checked, pending): (Set<RecordKey>, [RecordKey: Int64]) = ([], [:])
        if case .checked(let keys, let known) = cascades { (checked, pending) = (keys, known) }
        checked.formUnion(keys)
        for (key, seq) in found { pending[key] = seq }
        cascades = .checked(checked, pending: pending)
    }

    /// Returns the records of locked zones. The schema must contain their types and fields.
    func records(of locked: LockedWrites) -> [StoredRecord] {
        records.compactMap { locked.counters[$0.key.zone] == nil ? nil : $0.value }
    }

    /// Returns the record types named in the answers to repeated requests.
    func types(of locked: LockedWrites) -> Set<RecordTypeID> {
        guard !earlier.isEmpty else { return [] }
        let entered = Set(locked.entered.environments.map(\.rawValue))
        return earlier.values.reduce(into: []) { types, row in
            if entered.contains(row.key.environment) { types.formUnion(OutcomeCodec.types(in: row.outcome)) }
        }
    }
}
