import AMQPClient
import ServiceMessages
import TestSupport

/// One of the devices of the users, who act concurrently.
struct SharingClient: Sendable {
    let user: ModelUser
    let model: ModelClient
    /// Kills a service.
    let kill: @Sendable () -> Void

    /// Executes `steps` one after the other.
    ///
    /// - Throws: an error if an answer does not arrive or is invalid.
    func take(_ steps: [SharingProgram.Step], round: Int, knowing knowledge: ModelKnowledge) async throws -> ModelLog {
        var log = ModelLog()
        for (index, step) in steps.enumerated() {
            log.steps += 1
            let id = "\(model.name)-\(round)-\(index)"
            switch step {
            case .modify(let zone, _, _, _, _, let link?) where !sees(zone, knowing: knowledge):
                if let request = acceptance(of: link, in: zone, knowing: knowledge) {
                    log.exchanges += try await send(message(id, request))
                }
            case .modify(let zone, let drafts, let atomic, let copies, let fault, _):
                let operations = drafts.map { complete($0, in: zone, knowing: knowledge) }
                let sent = try await send(
                    message(id, .records(zone: zone, operations, atomic: atomic)), copies: copies, fault: fault)
                log.exchanges += sent
                if fault == SharingProgram.deadlyFault { log.kills += sent.map { $0.sent...$0.answered } }
            case .createZone(let zone): log.exchanges += try await send(message(id, .createZone(zone)))
            case .deleteZone(let zone): log.exchanges += try await send(message(id, .deleteZone(zone)))
            case .accept(let zone, let link):
                if let request = acceptance(of: link, in: zone, knowing: knowledge) {
                    log.exchanges += try await send(message(id, request))
                }
            case .again(let draw):
                let own = knowledge.messages + log.exchanges.filter(\.isRepeatable).map(\.message)
                guard let message = own.filter({ $0.id.first == user.rawValue }).drawn(draw) else { continue }
                log.exchanges += try await send(message)
            case .lookup(let zone, let names):
                log.exchanges += try await send(message(id, .lookup(zone: zone, names)))
            case .read(let zone, let since, let limit, let accepting):
                let start = knowledge.copy(of: zone, owner: owner(of: zone), for: user.name, since)
                let request = accepting.flatMap { acceptance(of: $0, in: zone, knowing: knowledge) }
                var accepted: [ModelExchange] = []
                let read = try await ZoneRead(from: start, as: shared, limit: limit) {
                    if let request { accepted = try await send(message(id, request)) }
                }
                log.exchanges += accepted
                log.shared.append(SharedRead(user: user, read: read, acceptance: accepted.first?.message.id))
            case .sync(let draw, let limit):
                let known = knowledge.databases(of: user.name)
                var copy = draw.flatMap { known.drawn($0) } ?? DatabaseCopy(isShared: true)
                try await copy.sync(as: shared, limit: limit)
                log.sharedSyncs.append((user, DatabaseSync(copy)))
            case .kill:
                let start = model.clock.tick()
                kill()
                log.kills.append(start...model.clock.tick())
            }
        }
        return log
    }

    /// The user's client for the shared database.
    var shared: TestClient { model.client.with(Header.database, .string("shared")) }

    /// The owner of a zone, for requests in the shared database; nil if the user is the owner.
    private func owner(of zone: String) -> String? {
        SharingProgram.owners[zone].flatMap { $0 == user ? nil : $0.name }
    }

    /// Whether the user saw the zone before the round.
    private func sees(_ zone: String, knowing knowledge: ModelKnowledge) -> Bool {
        owner(of: zone) == nil || !knowledge.model.zone(zone).access(of: user.name).isEmpty
    }

    private func message(_ id: String, _ request: ModelRequest) -> ModelMessage {
        ModelMessage(
            id: id, client: model.name, participant: owner(of: request.zone) == nil ? nil : user.name, request: request)
    }

    private func send(_ message: ModelMessage, copies: Int = 1, fault: String? = nil) async throws -> [ModelExchange] {
        try await model.send(message, copies: copies, fault: fault, owner: owner(of: message.request.zone))
    }

    private func acceptance(of link: Int, in zone: String, knowing knowledge: ModelKnowledge) -> ModelRequest? {
        let live = knowledge.model.zone(zone).shares.values.sorted { $0.link < $1.link }
        let unseen = live.filter { $0.permission(of: user.name) == .none }
        // Most links lead to a live share that the user does not see.
        let shares = unseen.isEmpty ? live : unseen
        let links = link % 4 > 0 && !shares.isEmpty ? shares.map(\.link) : knowledge.links[zone, default: []]
        return links.drawn(link / 4).map { .accept(zone: zone, link: $0) }
    }

    /// Returns the operation for which a draft stands.
    private func complete(
        _ draft: SharingProgram.Draft, in zone: String, knowing knowledge: ModelKnowledge
    ) -> ModelOperation {
        var draft = draft
        let known = knowledge.model.zone(zone)
        let name = draft.operation.name ?? ""
        if let change = draft.operation.share {
            let exists = known.shares[name] != nil
            if draft.isUpsert { draft.operation.kind = exists ? .update : .create }
            if exists { draft.operation.share?.root = nil }
            switch draft.rootTag {
            case .none: break
            case .present: draft.operation.share?.rootTag = change.root.flatMap { known.records[$0]?.tag }
            case .any(let draw): draft.operation.share?.rootTag = knowledge.tag(draw)
            }
        }
        if let member = draft.member, let move = Self.move(member, in: known) { draft.operation = move }
        return knowledge.complete(ModelProgram.Draft(operation: draft.operation, tag: draft.tag), in: zone)
    }
}

extension SharingClient {
    /// Returns the move of a member of a share below the root of another one; nil if the zone has no two shares.
    private static func move(_ draw: Int, in zone: ModelZone) -> ModelOperation? {
        let members = zone.shape.membership().sorted { $0.key < $1.key }.filter {
            !zone.isRoot($0.key) && zone.shares[$0.key] == nil
        }
        guard let (name, share) = members.drawn(draw),
            let root = zone.shares.sorted(by: { $0.key < $1.key }).first(where: { $0.key != share })?.value.root
        else { return nil }
        return ModelOperation(kind: .forceUpdate, name: name, type: "Note", parent: .set(root))
    }
}

extension ModelExchange {
    /// Whether the message may be sent again. A link that led nowhere may lead to a share later, and a departure from a
    /// zone may concern other shares.
    var isRepeatable: Bool {
        switch message.request {
        case .records: true
        case .accept: answer == .accepted
        case .createZone, .deleteZone: message.participant == nil
        case .lookup: false
        }
    }
}

extension ModelExchange {
    /// Returns the same exchange, with the knowledge of when services were killed.
    func interrupted(by kills: [ClosedRange<Int>]) -> ModelExchange {
        var exchange = self
        exchange.isInterrupted = kills.contains { $0.overlaps(sent...answered) }
        return exchange
    }
}
