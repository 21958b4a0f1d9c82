/// A zone of the model.
struct ModelZone: Equatable, Sendable {
    static let defaultName = "_defaultZone"

    /// The number of earlier zones with the same name; nil before the first zone.
    private(set) var incarnation: Int?
    /// Whether the zone exists.
    private(set) var isThere: Bool
    private(set) var records: [String: ModelRecord] = [:]
    /// The live shares by the names of their records.
    private(set) var shares: [String: ModelShare] = [:]
    /// What happened to the access of each user who has had access.
    private(set) var accesses: [String: ModelAccess] = [:]
    /// Whether a background job may be moving records between shares.
    private(set) var isMoving = false
    /// The number of the last change of each record, including deleted ones.
    private(set) var changes: [String: Int] = [:]
    /// The link of each record that is or was the root of a share, and of the zone. It outlives the share.
    private var links: [String: String] = [:]
    private var lastChange = 0

    /// Creates a zone; one that never existed if `incarnation` is nil.
    init(incarnation: Int? = nil) {
        self.incarnation = incarnation
        isThere = incarnation != nil
    }

    /// Creates the zone that takes the place of a deleted one. The numbers of its changes continue.
    private init(after former: ModelZone) {
        self.init(incarnation: (former.incarnation ?? 0) + 1)
        (accesses, lastChange) = (former.accesses, former.lastChange)
    }

    /// Executes a message that names this zone.
    ///
    /// - Parameters:
    ///   - chosen: the items of the service's answer, because the service chooses names, change tags and links.
    ///   - moveLimit: the number of records that one request can move between shares.
    mutating func perform(_ message: ModelMessage, chosen: [ModelItem], moveLimit: Int) -> ModelAnswer {
        let before = self
        let answer = execute(message, chosen: chosen, moveLimit: moveLimit)
        if before != self { noteAccess(since: before) }
        return answer
    }

    private mutating func execute(_ message: ModelMessage, chosen: [ModelItem], moveLimit: Int) -> ModelAnswer {
        let user = message.participant
        if case .accept(_, let link) = message.request { return accept(link, by: message) }
        guard user.map({ !access(of: $0).isEmpty }) ?? true else { return .refused(.zoneNotFound) }
        switch message.request {
        case .createZone:
            if !isThere { self = ModelZone(after: self) }
            return .zone(isDeleted: false)
        case .deleteZone:
            guard isThere else { return .refused(.zoneNotFound) }
            if let user {
                // A participant leaves all shares.
                leave(Array(access(of: user).keys), user, device: message.client)
            } else {
                (isThere, records, shares, changes, links) = (false, [:], [:], [:], [:])
            }
            return .zone(isDeleted: true)
        case .lookup(_, let names):
            guard let seen = view(of: user) else { return .refused(.zoneNotFound) }
            let items = names.enumerated().map { index, name -> ModelItem in
                // What enters a share in the background may appear later.
                let isLate =
                    isMoving && user != nil && chosen.indices.contains(index) && chosen[index].error == .notFound
                return seen[name].flatMap { isLate ? nil : .saved($0) } ?? .failed(name, .notFound, server: nil)
            }
            return .records(items, isAtomicFailure: false)
        case .records(let zone, let operations, let atomic):
            guard isThere else { return .refused(.zoneNotFound) }
            let batch = ModelBatch(
                operations: operations, chosen: chosen, device: message.client, isWeb: message.isWeb,
                participant: user, moveLimit: moveLimit)
            return settle(
                operations.indices.map { item($0, of: batch) }, batch,
                isAtomic: atomic != false && zone != Self.defaultName)
        case .accept: return .refused(.notFound)
        }
    }

    private mutating func accept(_ link: String, by message: ModelMessage) -> ModelAnswer {
        guard let user = message.participant, let name = shares.first(where: { $0.value.link == link })?.key,
            let isChanged = shares[name]?.accept(user)
        else { return .refused(.notFound) }
        if isChanged {
            lastChange += 1
            touch(name, device: message.client)
        }
        return .accepted
    }

    /// Ends the participation of a user in shares.
    private mutating func leave(_ names: [String], _ user: String, device: String) {
        lastChange += 1
        for name in names {
            shares[name]?.remove(user)
            touch(name, device: device)
        }
    }

    /// Gives a record that a request does not save a new change tag, which the answer does not contain.
    private mutating func touch(_ name: String, device: String) {
        records[name]?.tag = ModelRecord.unknownTag
        records[name]?.modifier = device
        changes[name] = lastChange
    }

    /// Allows for an access to a share that a user may have gained and lost without the model knowing it.
    mutating func doubt(_ share: ModelShare, _ name: String, of user: String) {
        accesses[user, default: ModelAccess()].doubt(share, name)
    }

    /// Replaces unknown change tags by those that a feed showed.
    mutating func learn(tags seen: [String: ModelRecord]) {
        for (name, record) in records where record.tag == ModelRecord.unknownTag {
            if let tag = seen[name]?.tag { records[name]?.tag = tag }
        }
    }

    /// Applies the items as far as the rules that concern several records allow it.
    private mutating func settle(_ items: [ModelItem], _ batch: ModelBatch, isAtomic: Bool) -> ModelAnswer {
        var items = items
        // An item that fails on its own undoes an atomic batch before the other rules are checked. Independent
        // operations are checked again without the failed ones.
        while !isAtomic || items.allSatisfy({ $0.error == nil }) {
            let failures = failures(of: items, batch)
            if failures.isEmpty { break }
            items = failures.reduce(into: items) { $0[$1.key] = $1.value }
        }
        let reader = batch.participant
        if isAtomic, items.contains(where: { $0.error != nil }) {
            items = items.map { $0.error == nil ? .failed($0.name, .atomicFailure, server: nil) : $0 }
            return .records(
                items.indices.map { answered(items[$0], batch.choice($0), to: reader) }, isAtomicFailure: true)
        }
        apply(items, batch)
        return .records(items.indices.map { answered(items[$0], batch.choice($0), to: reader) }, isAtomicFailure: false)
    }

    /// Returns an item as the answer contains it.
    ///
    /// - Parameter choice: the service's item.
    private func answered(_ item: ModelItem, _ choice: ModelItem?, to reader: String?) -> ModelItem {
        switch item {
        case .saved(let record): return .saved(shown(record, to: reader))
        case .left(let name), .idle(let name): return .deleted(name)
        case .failed(let name, let error, let server?):
            var seen = shown(server, to: reader)
            // The service does not read the participants of a share that a participant leaves. A conflict then contains
            // the share without its content.
            let isShort = if case .failed(_, _, let sent?) = choice { sent.fields.isEmpty } else { false }
            if server.isShare, reader != nil, isShort { seen.fields = [:] }
            return .failed(name, error, server: seen)
        case .deleted, .failed: return item
        }
    }

    /// Records that all background jobs have finished.
    mutating func settle() { isMoving = false }

    private mutating func apply(_ items: [ModelItem], _ batch: ModelBatch) {
        if isLargeMove(items, batch) { isMoving = true }
        var after = outcome(of: items, batch)
        var named = Set(items.compactMap(\.record?.name))
        lastChange += 1
        var touched: Set<String> = []
        for (name, share) in after.shares.sorted(by: { $0.key < $1.key }) where shares[name] != share {
            let place = share.root ?? name
            if let root = share.root, shares[name]?.link != share.link { touched.insert(root) }
            links[place] = share.link
        }
        for (name, share) in shares where after.shares[name] == nil {
            after.records[name] = nil
            if let root = share.root, after.records[root] != nil { touched.insert(root) }
        }
        let changed = Set(records.keys).union(after.records.keys).filter { records[$0] != after.records[$0] }
        // A record that was saved and then deleted by a cascade of the same batch also counts as changed.
        named.formUnion(changed)
        for name in named { changes[name] = lastChange }
        for name in Set(records.keys).subtracting(after.records.keys) where name != ModelShare.zoneShareName {
            links[name] = nil
        }
        let saved = Set(items.compactMap(\.record?.name))
        (records, shares) = (after.records, after.shares)
        for name in touched where !saved.contains(name) { touch(name, device: batch.device) }
        for case .left(let name) in items {
            if let user = batch.participant { leave([name], user, device: batch.device) }
        }
    }

    /// The link that a new share gets; nil if the service chooses it.
    func link(ofRoot root: String?) -> String? { links[root ?? ModelShare.zoneShareName] }

    /// The number of the change that is being applied.
    var nextChange: Int { lastChange + 1 }

    private mutating func noteAccess(since before: ModelZone) {
        let users = Set(accesses.keys).union(shares.values.flatMap(\.participants.keys))
        for user in users {
            let seen = Set((before.view(of: user) ?? [:]).keys).union((view(of: user) ?? [:]).keys)
            let hasNews =
                before.incarnation == incarnation && seen.contains { before.changes[$0] != changes[$0] }
                || (before.view(of: user) ?? [:]).keys != (view(of: user) ?? [:]).keys
            let held = access(of: user).keys.reduce(into: [String: ModelShare]()) { $0[$1] = shares[$1] }
            accesses[user, default: ModelAccess()].note(held, hasNews: hasNews)
        }
    }
}
