internal import CloudKitModel
internal import CloudKitWire
internal import RecordStorage
internal import ServiceMessages

/// Applies the sharing rules to all operations of a request together (semantics 5.4 and 11). The rules determine which
/// shares are created, changed and ended, and which share each record belongs to afterwards. The root of a share
/// belongs to that share, and any other record belongs to the share of its parent.
///
/// Creating or ending a share can change records that the request does not name: the root gets a new tag, and a share
/// is deleted along with its root. Each of these changes becomes an additional plan, which follows the plans of the
/// request.
struct SharingResolver {
    /// A share, which might not have a number yet.
    enum ShareReference: Hashable {
        /// A share that exists.
        case existing(ShareID)
        /// A new share, whose record has this key.
        case new(RecordKey)
    }

    /// A share that the request creates.
    struct Begun {
        let key: RecordKey
        /// The root; nil for the zone-wide share.
        let root: RecordKey?
        let link: String
        let sent: WireShare
        let seed: ParticipantSeed
    }

    /// A share that changes.
    struct Updated {
        let key: RecordKey
        let share: StoredShare
        let sent: WireShare
        /// The identifier in the link after the change.
        let link: String
        let seed: ParticipantSeed
    }

    /// Records that follow another record into a share or out of one.
    struct Move {
        /// The record that the request names. The move gets the number of this record's change.
        let cause: RecordKey
        let nodes: [MembershipTable.Node]
        let share: ShareReference?
    }

    /// A record whose descendants a background job moves into a share or out of one.
    struct Deferred {
        /// A record that the request names, or the root of a share that begins or ends.
        let key: RecordKey
        /// The moves that the descendants might have to make.
        let moves: ShareMoves
    }

    /// The root of a share above a record.
    struct Root {
        let share: ShareReference
        /// The root.
        let key: RecordKey
        /// The lowest moving record on the way to the root, which can be the record or the root itself; nil if there is
        /// none.
        var mover: RecordKey?
    }

    /// The reason why the request cannot be resolved yet.
    enum Halt {
        case missing(MissingReads)
        /// A record that the request needs was read without its fields.
        case postponed
        /// The request must be repeated when the zone's records have moved.
        case busy(ServerError)
    }

    /// The name of the share of a whole zone.
    static let zoneShareName = RecordName(unchecked: "cloudkit.zoneshare")

    let request: WriteRequest
    let base: BatchPlanner
    let zone: ZoneRow
    /// The operations of the request, followed by the plans that result from them.
    var plans: [PlannedOperation]
    /// The position of the operation from which each additional plan results.
    var origins: [Int] = []
    /// The roots and shares that are deleted as dependents, each with the position of the operation that deletes it.
    private let alsoDeleted: [RecordKey: Int]
    var begun: [Begun] = []
    var updated: [Updated] = []
    var ended: [StoredShare] = []
    var moves: [Move] = []
    /// The records whose descendants a background job moves.
    var deferred: [Deferred] = []
    /// The shares of the saved records; a record without an entry keeps its share.
    var shares: [RecordKey: ShareReference?] = [:]
    /// New links of records that are not shared.
    var links: [RecordKey: String] = [:]

    var missing = MissingReads()
    /// Whether the result depends on data about shares that was read or must be read.
    var dependsOnReads = false
    var isPostponed = false
    /// The error for a request that must be repeated later; nil if the request can be decided.
    var busy: ServerError?
    /// The records that move and take all records below them along.
    var movers: [RecordKey] = []
    /// ``movers``.
    var moving: Set<RecordKey> = []
    /// The roots above the records that were visited (``root(above:isAfter:)``), before and after the request.
    var rootsBefore: [RecordKey: Root?] = [:]
    var rootsAfter: [RecordKey: Root?] = [:]
    /// The nearest moving record above each record that was visited; nil if there is none.
    var nearest: [RecordKey: RecordKey?] = [:]
    var saved: [RecordKey: PlannedSave] = [:]
    var deleted: Set<RecordKey> = []

    init(
        request: WriteRequest, plans: [PlannedOperation], alsoDeleted: [RecordKey: Int], base: BatchPlanner
    ) {
        self.alsoDeleted = alsoDeleted
        self.request = request
        self.plans = plans
        self.base = base
        zone = request.zone.row
    }

    /// Whether the request changes shares, or moves records that it does not name.
    var changesShares: Bool { !(begun.isEmpty && updated.isEmpty && ended.isEmpty && moves.isEmpty) }

    /// Resolves the operations.
    ///
    /// - Returns: the reason why resolving cannot continue; nil if everything is resolved.
    mutating func resolve() -> Halt? {
        guard concernsSharing else { return nil }
        stage()
        refuseHiddenTargets()
        if let halt { return halt }
        stage()
        for (key, position) in alsoDeleted { delete(key, because: position) }
        stage()
        endShares()
        for position in plans.indices { resolveShare(position) }
        if let halt { return halt }
        stage()
        refuseParents()
        if let halt { return halt }
        if base.sharing.zones[zone] == .records || !begun.isEmpty || !ended.isEmpty { assignShares() }
        if halt == nil { refuseForeignWrites() }
        return halt
    }

    /// Returns a refusal for each operation that `resolver` refused, directly or through one of its additional plans.
    func refusals(in resolver: ReferenceResolver) -> [Int: Refusal] {
        var refusals: [Int: Refusal] = [:]
        for begun in begun {
            // The request deletes the root as a dependent of another record.
            guard let root = begun.root, resolver.dependents.contains(root),
                let position = plans.firstIndex(where: { $0.savedKey == begun.key })
            else { continue }
            refusals[position] = Refusal(.shareRootNotFound(root.name), name: begun.key.name)
        }
        for (position, plan) in resolver.plans.enumerated() {
            guard case .refused(let refusal) = plan, !plans[position].isRefused else { continue }
            let culprit = culprit(position)
            refusals[culprit] = refusals[culprit] ?? Refusal(refusal.error, name: plans[culprit].outcome.name)
        }
        return refusals
    }

    /// Returns the roots and shares that `resolver` deletes as dependents, each with the position of the operation that
    /// causes the deletion.
    func sharesDeleted(by resolver: ReferenceResolver) -> [RecordKey: Int] {
        let keys = resolver.dependents.filter { base.records[$0]?.sharing != nil && alsoDeleted[$0] == nil }
        return Dictionary(uniqueKeysWithValues: keys.map { ($0, culprit(resolver.causes[$0] ?? 0)) })
    }

    /// Returns the position of the operation from which the plan at `position` results.
    private func culprit(_ position: Int) -> Int {
        let count = request.body.operations.count
        return position < count ? position : origins[position - count]
    }

    var halt: Halt? {
        if isPostponed { return .postponed }
        return missing.isEmpty ? busy.map(Halt.busy) : .missing(missing)
    }

    private var concernsSharing: Bool {
        if base.sharing.zones[zone] ?? .none != .none { return true }
        var (created, parents): (Set<RecordName>, [RecordName]) = ([], [])
        for case .save(let save) in plans where save.current == nil && save.record.parent != nil {
            created.insert(save.key.name)
            if let parent = save.record.parent { parents.append(parent) }
        }
        // Without a moving record, only records that are created together can form a cycle.
        if parents.contains(where: created.contains) { return true }
        return plans.indices.contains { position in
            guard case .save(let save) = plans[position] else { return false }
            return save.isShare || save.movesBelowAnother
                || (position < request.body.operations.count
                    && request.body.operations[position].record.createShortGUID)
        }
    }

    mutating func stage() {
        saved = [:]
        deleted = []
        for plan in plans {
            switch plan {
            case .save(let save): saved[save.key] = save
            case .delete(let deletion): deleted.insert(deletion.key)
            case .refused, .idle: continue
            }
        }
    }

    mutating func refuse(_ position: Int, _ error: ServerError, server: StoredRecord? = nil) {
        plans[position] = .refused(Refusal(error, name: plans[position].outcome.name, server: server))
    }

    func key(_ name: RecordName) -> RecordKey { RecordKey(zone: zone, name: name) }

    /// Returns the result of reading a record's share; nil if the share must be read first.
    mutating func found(_ key: RecordKey) -> ShareTable.Found? {
        dependsOnReads = true
        let found = base.sharing.shares[key]
        if found == nil { missing.shares.insert(key) }
        return found
    }
}

extension SharingResolver {
    /// Returns the result of reading a share for a user who changes only the own row; nil if the share must be read
    /// first. Only the participants that concern the user are read.
    mutating func found(_ visitor: ShareVisitor) -> ShareTable.Found? {
        dependsOnReads = true
        let found = base.sharing.shares[visitor.key] ?? base.sharing.visits[visitor]
        if found == nil { missing.visitors.insert(visitor) }
        return found
    }

    /// Returns the user if `save` changes only the user's own row of the share.
    func visitor(of save: PlannedSave, _ sent: WireShare) -> ShareVisitor? {
        let caller = sent.acceptance?.caller ?? sent.accessRequest?.caller
        guard let user = caller?.user ?? (save.isDeparture ? request.context.user : nil) else { return nil }
        let intent: ShareVisitor.Intent =
            sent.acceptance != nil ? .accept : sent.accessRequest != nil ? .requestAccess : .other
        return ShareVisitor(
            key: save.key, user: user, email: caller?.email, oneTime: sent.acceptance?.oneTime, intent: intent)
    }
}

extension PlannedSave {
    /// Whether the record is a share.
    var isShare: Bool { type.name == RecordTypeName.share.rawValue }

    /// Whether the record exists and is given a different parent.
    fileprivate var movesBelowAnother: Bool {
        current != nil && record.parent != nil && current?.parent != record.parent
    }
}
