internal import CloudKitModel
internal import RecordStorage

/// A walk down from records whose share changed. It determines which of their descendants must move.
///
/// Every descendant is examined, even below one that is stored in the right share: a record that was saved while the move
/// was pending has the right share although the records around it do not.
struct MoveWalk {
    /// A record whose children are to be examined.
    struct Record {
        var pending: ShareMoveTable.Pending
        /// The share to which the children belong; nil if they belong to none.
        let share: ShareID?
        /// The cycle of parents into which the parents of the record lead; empty if there is none. The children of these
        /// records are not examined, because the walk would not end. Records in a cycle belong to no share.
        let cycle: Set<RecordName>
    }

    /// The number of the change by which the records move.
    let seq: Int64
    /// The number of records that were examined.
    private(set) var examined = 0
    /// The departures from shares.
    private(set) var departures: [MembershipTable.Departure] = []
    /// The records that enter each share or, for nil, only leave one.
    private var entered: [ShareID?: [RecordName]] = [:]
    private var records: [Record]
    /// The records whose children are, or were, to be examined by this walk.
    private var known: Set<RecordName>
    /// The records of which an earlier step has examined the first children. If the walk reaches such a record, a record
    /// above it has moved since then, so that these children must be examined again.
    private var begun: Set<RecordName>
    private let zone: ZoneRow
    private let redelivers: Bool

    /// Begins a walk.
    ///
    /// - Parameters:
    ///   - ends: where the parents of `pending` lead.
    ///   - redelivers: whether records that stay in their share might have been hidden from participants in the meantime.
    ///     Participants then receive them again.
    init(
        from pending: [ShareMoveTable.Pending], in zone: ZoneRow, ends: [RecordKey: Ancestry.End], seq: Int64,
        redelivers: Bool
    ) {
        (self.zone, self.seq, self.redelivers) = (zone, seq, redelivers)
        records = pending.map { row in
            switch ends[RecordKey(zone: zone, name: row.name)] {
            case .share(let share): Record(pending: row, share: share, cycle: [])
            case .cycle(let names): Record(pending: row, share: nil, cycle: names)
            case .unshared, .missing, nil: Record(pending: row, share: nil, cycle: [])
            }
        }
        known = Set(pending.map(\.name))
        begun = Set(pending.lazy.filter { !$0.after.rawValue.isEmpty }.map(\.name))
    }

    /// Whether no record moves.
    var isUnchanged: Bool { entered.isEmpty }

    /// The records whose children are still to be examined, each once, from the first of its children that remain.
    var rest: [ShareMoveTable.Pending] {
        let all = records.map { ($0.pending.name, $0.pending) }
        return Array(
            Dictionary(all) { $0.after.rawValue.utf8.lexicographicallyPrecedes($1.after.rawValue.utf8) ? $0 : $1 }
                .values)
    }

    /// The moves of the records.
    var moves: [MembershipTable.Move] {
        entered.map { MembershipTable.Move(zone: zone, names: $0.value, share: $0.key, seq: seq) }
    }

    /// Removes up to `limit` records from the walk, so that their children can be read.
    mutating func take(_ limit: Int) -> [Record] {
        let taken = Array(records.suffix(limit))
        records.removeLast(taken.count)
        return taken
    }

    /// Examines the children of `records`.
    ///
    /// - Parameter limit: the number of children of each record that were read if it has at least that many.
    mutating func examine(_ children: [[ShareMoveTable.Child]], of records: [Record], limit: Int) {
        for (var record, children) in zip(records, children) {
            examined += 1
            for child in children {
                guard let node = child.node, !node.isRoot else { continue }
                examined += 1
                move(node, to: record.share)
                if child.hasChildren, !record.cycle.contains(child.name), mustExamine(child.name) {
                    self.records.append(
                        Record(
                            pending: ShareMoveTable.Pending(name: child.name), share: record.share, cycle: record.cycle)
                    )
                }
            }
            if children.count >= limit, let last = children.last {
                record.pending.after = last.name
                self.records.append(record)
            }
        }
    }

    /// Whether the children of a record that the walk has reached are to be examined from the first one.
    private mutating func mustExamine(_ name: RecordName) -> Bool {
        known.insert(name).inserted || begun.remove(name) != nil
    }

    /// Moves a record if it is stored in another share. If `share` is nil, the records of a share that has ended are
    /// left to the job that empties it.
    private mutating func move(_ node: MembershipTable.Node, to share: ShareID?) {
        let old = node.membership
        guard old?.live != share || (share != nil && redelivers) else { return }
        entered[share, default: []].append(node.name)
        guard let old, old.share != share else { return }
        departures.append(
            MembershipTable.Departure(
                key: RecordKey(zone: zone, name: node.name), share: old.share, seq: seq, since: old.since))
    }
}
