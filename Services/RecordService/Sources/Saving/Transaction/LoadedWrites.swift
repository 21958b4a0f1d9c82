internal import PostgresClient
internal import RecordStorage
internal import RequestServing

/// What a transaction has read.
struct LoadedWrites {
    /// What is known of the deletions that a background job is about to make.
    enum Cascades {
        /// No locked zone has any.
        case none
        /// These reads come first; there is at least one.
        case unchecked([WriteRead])
        /// The records that were checked, and those of them that will be deleted, each with the number of the deletion.
        case checked(Set<RecordKey>, pending: [RecordKey: Int64])
    }

    /// The identity and the time of the transaction.
    let transaction: TransactionStamp
    /// The requests among these that were executed before.
    let earlier: [RequestTable.Key: RequestTable.Row]
    /// The records, tombstones included.
    private(set) var records: [RecordKey: StoredRecord] = [:]
    /// The records whose fields were left out because the read would have grown too large.
    private(set) var omitted: Set<RecordKey> = []
    /// The references.
    private(set) var graph = ReferenceGraph()
    /// The pending deletions.
    var cascades = Cascades.none

    /// Creates the state before any record was read.
    init(transaction: TransactionStamp, earlier: [RequestTable.Key: RequestTable.Row]) {
        self.transaction = transaction
        self.earlier = earlier
    }

    /// Adds what `reads` brought.
    ///
    /// - Throws: when a record's fields cannot be parsed.
    mutating func add(_ results: some Sequence<PostgresResult>, of reads: [WriteRead]) throws {
        for (read, result) in zip(reads, results) {
            switch read {
            case .records:
                for (zone, record, isOmitted) in try RecordTable.records(result) {
                    let key = RecordKey(zone: zone, name: record.name)
                    records[key] = record
                    if isOmitted { omitted.insert(key) }
                }
            case .incoming: ReferenceTable.load(incoming: result, into: &graph)
            case .targets: ReferenceTable.load(targets: result, into: &graph)
            case .pendingCascade(let keys, let zone, _): check(keys, CascadeTable.pending(result, in: zone))
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

    /// The records whose types and fields the schema has to have: those of locked zones.
    func records(of locked: LockedWrites) -> [StoredRecord] {
        records.compactMap { locked.counters[$0.key.zone] == nil ? nil : $0.value }
    }

    /// The types that the answers to repeated requests name.
    func types(of locked: LockedWrites) -> Set<RecordTypeID> {
        guard !earlier.isEmpty else { return [] }
        let entered = Set(locked.entered.environments.map(\.rawValue))
        return earlier.values.reduce(into: []) { types, row in
            if entered.contains(row.key.environment) { types.formUnion(OutcomeCodec.types(in: row.outcome)) }
        }
    }
}
