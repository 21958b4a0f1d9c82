extension SharingRun {
    /// The situations that occur in every program that is long enough. Without them, the test would cover less than it
    /// claims.
    private static let wanted: Set<String> = [
        "entered", "left", "moved between shares", "followed", "gained", "lost", "gained again", "gained while paging",
        "shared again", "began: records", "began: zone", "ended", "ended with its root",
        "accepted", "joined by the link", "kept copy",
        "read: reached", "read: expired", "database: changed", "database: lost", "participant: created",
        "participant: saved",
        "participant: deleted", "participant: ACCESS_DENIED", "participant: NOT_FOUND", "participant: ZONE_NOT_FOUND",
        "participant: CONFLICT", "participant: left", "participant: left the zone", "zone deleted", "repeat",
        "repeat without access", "look-up",
    ]

    /// The situations that occurred, with their counts.
    var summary: String {
        coverage.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
    }

    /// The situations that should have occurred but did not.
    var unmet: [String] { Self.wanted.filter { coverage[$0] == nil }.sorted() }

    /// Counts a situation.
    mutating func count(_ what: String) { coverage[what, default: 0] += 1 }

    /// Executes a message whose place in the order is known, and counts the situations that occur.
    mutating func replay(_ step: Explanation.Step) {
        let (message, answer) = (step.exchange.message, step.exchange.answer)
        let before = knowledge.model.zone(message.request.zone)
        if step.isUnanswered {
            _ = knowledge.model.begin(message, repeatAnswered: answer)
            count("executed without an answer")
        } else {
            let expectation = knowledge.model.perform(message, answered: answer)
            if message.request.isRead { return count("look-up") }
            if case .again = expectation { return count("repeat") }
            if step.exchange.isInterrupted { count("interrupted") }
        }
        let after = knowledge.model.zone(message.request.zone)
        if let user = message.participant, !step.isUnanswered {
            countParticipant(user, message, answer, before, after)
        } else if case .deleteZone = message.request, before.isThere, !after.isThere {
            count("zone deleted")
        }
        countMoves(before, after)
        countShares(before, after)
        countAccess(before, after, message)
    }

    private mutating func countParticipant(
        _ user: String, _ message: ModelMessage, _ answer: ModelAnswer, _ before: ModelZone, _ after: ModelZone
    ) {
        switch answer {
        case .refused(.zoneNotFound) where knowledge.messages.contains { $0.id == message.id }:
            count("repeat without access")
        case .refused(let error): count("participant: \(error.code)")
        case .accepted: break
        case .zone: if before != after { count("participant: left the zone") }
        case .records(let items, _):
            for item in items {
                switch item {
                case .failed(_, let error, _): count("participant: \(error.code)")
                case .saved(let record):
                    count(before.records[record.name] == nil ? "participant: created" : "participant: saved")
                case .deleted(let name), .left(let name), .idle(let name):
                    guard let record = before.records[name] else { continue }
                    count(record.isShare ? "participant: left" : "participant: deleted")
                }
            }
        }
    }

    /// Counts the records that entered and left shares, and those that followed others.
    private mutating func countMoves(_ before: ModelZone, _ after: ModelZone) {
        guard before.incarnation == after.incarnation, after.isThere else { return }
        let (old, new) = (before.shape.membership(), after.shape.membership())
        let moved = before.records.keys.filter { after.records[$0] != nil && old[$0] != new[$0] }
        for name in moved {
            let what = old[name] == nil ? "entered" : new[name] == nil ? "left" : "moved between shares"
            count(what)
            if before.changes[name] == after.changes[name] { count("followed") }
        }
        let followers = moved.filter {
            before.changes[$0] == after.changes[$0] && after.shares.count == before.shares.count
        }
        if followers.count > SharingProgram.moveLimit { count("moved past the limit") }
    }

    private mutating func countShares(_ before: ModelZone, _ after: ModelZone) {
        for (name, share) in after.shares where before.shares[name]?.begun != share.begun {
            count(share.root == nil ? "began: zone" : "began: records")
            if before.link(ofRoot: share.root) == share.link { count("shared again") }
        }
        for (name, share) in before.shares where after.shares[name]?.begun != share.begun && after.isThere {
            count("ended")
            if let root = share.root, after.records[root] == nil { count("ended with its root") }
        }
        for (name, share) in after.shares {
            guard let former = before.shares[name], former.begun == share.begun else { continue }
            if former.publicPermission != .none, share.publicPermission == .none {
                count("public permission withdrawn")
            }
        }
    }

    private mutating func countAccess(_ before: ModelZone, _ after: ModelZone, _ message: ModelMessage) {
        for (user, access) in after.accesses {
            let former = before.accesses[user] ?? ModelAccess()
            let (gained, lost) = (access.held.subtracting(former.held), former.held.subtracting(access.held))
            if !lost.isEmpty { count("lost") }
            guard !gained.isEmpty else { continue }
            count("gained")
            gains.insert(message.id)
            if access.expiries > former.expiries { count("gained again") }
            guard message.request.isAcceptance else { continue }
            let isPublic = after.shares.values.contains { $0.participants[user]?.role == .publicUser }
            count(isPublic ? "joined by the link" : "accepted")
        }
    }
}
