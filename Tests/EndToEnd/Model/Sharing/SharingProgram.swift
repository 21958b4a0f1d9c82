import Foundation
import TestGenerators

/// The steps of owners and participants, which a seed determines, as ``ModelProgram`` does for one user.
struct SharingProgram: Sendable {
    /// One step of a client.
    enum Step: Sendable {
        /// `records.modify`, by the owner or by a participant. `fault` is a failure that the service is to cause.
        /// `joining` is the link that a participant who does not see the zone accepts instead; nil to write anyway.
        case modify(zone: String, [Draft], atomic: Bool, copies: Int, fault: String?, joining: Int?)
        case createZone(String)
        /// The owner deletes the zone, or a participant leaves all its shares.
        case deleteZone(String)
        /// A link of the zone is accepted.
        case accept(zone: String, link: Int)
        /// An earlier message of the same user is sent again.
        case again(Int)
        case lookup(zone: String, [String])
        /// A participant reads a zone's feed in pages, and accepts a link of the zone between two pages.
        case read(zone: String, since: Int?, limit: Int64, accepting: Int?)
        /// A participant reads the feed of the shared database, and then the feeds of the zones that it lists.
        case sync(since: Int?, limit: Int64)
        /// A service is killed.
        case kill
    }

    /// An operation whose change tags and kind are not determined yet.
    struct Draft: Sendable {
        var operation: ModelOperation
        var tag: ModelProgram.Draft.Tag
        /// The tag of the root that a new share names.
        var rootTag = ModelProgram.Draft.Tag.none
        /// Whether the operation creates the share or, if there is one with this name, updates it.
        var isUpsert = false
        /// If the zone has two shares: the member of one of them that moves below the root of another one.
        var member: Int?
    }

    /// The owner of each zone.
    static let owners = ["List": ModelUser.first, "Book": .first, "Album": .second]
    static let zones = owners.keys.sorted()
    /// The user of each client. Two users have two devices.
    static let clients: [ModelUser] = [.first, .first, .second, .third, .third, .fourth, .fifth]
    /// The number of records that one request can move between shares. `ZONDA_TEST_MODEL_MOVE_LIMIT` sets it. If it is
    /// small, such as 3, a background job completes many moves, each of which takes some seconds.
    static let moveLimit =
        ProcessInfo.processInfo.environment["ZONDA_TEST_MODEL_MOVE_LIMIT"].flatMap(Int.init) ?? maxRecords
    /// The number of records in a zone, which no move exceeds.
    private static let maxRecords = 1000

    /// The fault by which a service is killed between a commit and its answer.
    static let deadlyFault = "die-after-commit"

    private static let names = (0..<7).map { "n\($0)" } + Self.dependents
    /// The records that refer to others with `DELETE_SELF`. There are not more of them than one request can delete.
    private static let dependents = (0..<3).map { "d\($0)" }
    private static let shares = ["S0", "S1", "S2"]
    private static let publicPermissions: [ModelShare.Permission] = [.none, .readOnly, .readWrite]
    /// The permissions of participants, by frequency.
    private static let permissions: [ModelShare.Permission] = [
        .readWrite, .readWrite, .readWrite, .readWrite, .readOnly, .readOnly, .none,
    ]

    /// The seed, which is printed, and which `ZONDA_TEST_MODEL_SEED` can set.
    let seed: UInt64

    /// Returns the steps of a client in a round, in order.
    func steps(client: Int, round: Int) -> [Step] {
        var draws = SeededGenerator(seed: seed &+ UInt64(round) &* 0x9E37 &+ UInt64(client) &* 0x1_0000_0001)
        let user = Self.clients[client]
        return (0..<draws.number(1...3)).map { _ in step(of: user, &draws) }
    }

    /// Returns the requests with which a run begins: every zone has a tree of records.
    static func beginning(of zone: String) -> [ModelRequest] {
        let parents = ["n1": "n0", "n2": "n1", "n3": "n0", "n5": "n4", "d0": "n1"]
        let records = names.map { name in
            ModelOperation(
                kind: .create, name: name, type: "Note", parent: parents[name].map(ModelOperation.Parent.set) ?? .absent
            )
        }
        let participants = ModelUser.allCases.filter { $0 != owners[zone] }.map {
            ($0.name, ModelShare.Permission.readWrite)
        }
        let roots = zone == "Album" ? [(ModelShare.zoneShareName, nil)] : [("S0", "n0"), ("S1", "n4")]
        let shares = roots.map { name, root in
            ModelOperation(
                kind: .create, name: name, type: ModelShare.recordType,
                share: ModelShareChange(
                    root: root, participants: Dictionary(uniqueKeysWithValues: participants)))
        }
        return [
            .createZone(zone), .records(zone: zone, records, atomic: true), .records(zone: zone, shares, atomic: true),
        ]
    }

    private func step(of user: ModelUser, _ draws: inout SeededGenerator) -> Step {
        let own = Self.zones.filter { Self.owners[$0] == user }
        let zone = draws.one(of: own.isEmpty || draws.chance(0.2) ? Self.zones.filter { !own.contains($0) } : own)
        let isOwner = own.contains(zone)
        if draws.chance(0.012) { return .kill }
        switch draws.number(0..<100) {
        case ..<18 where isOwner: return modification(zone, [move(&draws)], &draws)
        case ..<58 where isOwner:
            return modification(zone, draws.chance(0.45) ? sharing(zone, user, &draws) : records(&draws), &draws)
        case ..<34: return modification(zone, Array(records(&draws).prefix(draws.number(1...2))), &draws)
        case ..<36: return departure(zone, &draws)
        case ..<37 where !isOwner: return .deleteZone(zone)
        case ..<60 where !isOwner: return .accept(zone: zone, link: draws.index())
        case ..<60 where isOwner: return departure(zone, &draws)
        case ..<68 where isOwner: return .createZone(zone)
        case ..<69 where isOwner: return .deleteZone(zone)
        case ..<72: return .again(draws.index())
        case ..<77: return .lookup(zone: zone, Array(Self.names.shuffled(using: &draws).prefix(draws.number(1...5))))
        case ..<92:
            let (foreign, since) = (Self.zones.filter { !own.contains($0) }, draws.chance(0.4) ? nil : draws.index())
            return .read(
                zone: isOwner ? draws.one(of: foreign) : zone, since: since, limit: draws.one(of: [1, 1, 2, 4]),
                accepting: draws.chance(0.7) ? draws.index() : nil)
        default: return .sync(since: draws.chance(0.2) ? nil : draws.index(), limit: draws.number(1...2))
        }
    }

    private func modification(_ zone: String, _ drafts: [Draft], _ draws: inout SeededGenerator) -> Step {
        .modify(
            zone: zone, drafts, atomic: draws.chance(0.4), copies: draws.chance(0.08) ? 2 : 1,
            fault: draws.chance(0.05) ? "slow-transaction" : draws.chance(0.01) ? Self.deadlyFault : nil,
            joining: draws.chance(0.7) ? draws.index() : nil)
    }

    /// Deletes the record of a share: ends the share, or leaves it.
    private func departure(_ zone: String, _ draws: inout SeededGenerator) -> Step {
        let name = zone == "Album" ? ModelShare.zoneShareName : draws.one(of: Self.shares)
        let operation = ModelOperation(kind: draws.one(of: [.delete, .forceDelete]), name: name, type: nil)
        return modification(zone, [Draft(operation: operation, tag: tag(&draws))], &draws)
    }

    private func tag(_ draws: inout SeededGenerator) -> ModelProgram.Draft.Tag {
        switch draws.number(0..<10) {
        case ..<2: .none
        case ..<9: .present
        default: .any(draws.index())
        }
    }

    /// Gives a record, and everything below it, another parent.
    private func move(_ draws: inout SeededGenerator) -> Draft {
        let (name, parent) = (draws.one(of: Self.names), draws.one(of: Self.names))
        let operation = ModelOperation(kind: .forceUpdate, name: name, type: "Note", parent: .set(parent))
        return Draft(operation: operation, tag: .none, member: draws.chance(0.3) ? draws.index() : nil)
    }

    /// Returns operations on records. At most one of them changes a parent.
    private func records(_ draws: inout SeededGenerator) -> [Draft] {
        let names = Self.names.shuffled(using: &draws).prefix(draws.number(1...3))
        return names.enumerated().map { index, name in
            let kind = draws.one(
                of: ModelOperation.Kind.allCases + [.create, .create, .forceUpdate, .forceUpdate, .forceUpdate])
            var operation = ModelOperation(kind: kind, name: name, type: kind.isDelete ? nil : "Note")
            if kind.isDelete { return Draft(operation: operation, tag: tag(&draws)) }
            for field in ["a", "b"] where draws.chance(0.4) {
                operation.fields[field] = .some(draws.chance(0.2) ? nil : .number(draws.number(0..<1000)))
            }
            if draws.chance(0.15) {
                let action = Self.dependents.contains(name) ? ModelValue.Action.deleteSelf : .validate
                operation.fields["one"] = .some(.reference(draws.one(of: Self.names), action))
            } else if draws.chance(0.15) {
                operation.fields["one"] = .some(nil)
            }
            if index == 0, draws.chance(0.7) {
                operation.parent = draws.chance(0.2) ? .clear : .set(draws.one(of: Self.names))
            }
            return Draft(operation: operation, tag: tag(&draws))
        }
    }

    /// Returns a save of a share. Sometimes, the root is created along with it.
    private func sharing(_ zone: String, _ owner: ModelUser, _ draws: inout SeededGenerator) -> [Draft] {
        let isOfZone = draws.chance(zone == "Album" ? 0.8 : 0.05)
        let root = draws.one(of: ["n0", "n0", "n2", "n4", "n4"])
        var change = ModelShareChange(root: isOfZone ? nil : root)
        if draws.chance(0.85) {
            change.participants = [:]
            for user in ModelUser.allCases where user != owner && draws.chance(0.85) {
                change.participants?[user.name] = draws.one(of: Self.permissions)
            }
        }
        if draws.chance(0.45) { change.publicPermission = draws.one(of: Self.publicPermissions) }
        change.replacesLink = draws.chance(0.05)
        let operation = ModelOperation(
            kind: draws.one(of: [.create, .update, .replace, .forceUpdate]),
            name: isOfZone ? ModelShare.zoneShareName : draws.one(of: Self.shares), type: ModelShare.recordType,
            share: change)
        let share = Draft(
            operation: operation, tag: tag(&draws), rootTag: draws.one(of: [.none, .none, .present, tag(&draws)]),
            isUpsert: draws.chance(0.9))
        guard !isOfZone, draws.chance(0.15) else { return [share] }
        let saved = ModelOperation(
            kind: draws.one(of: [.create, .forceUpdate]), name: root, type: "Note", fields: ["a": .number(1)])
        return [Draft(operation: saved, tag: .none), share]
    }
}

/// A user of the test of sharing.
enum ModelUser: Character, CaseIterable, Sendable {
    case first = "a"
    case second = "b"
    case third = "c"
    case fourth = "d"
    case fifth = "e"

    /// The user's record name.
    var name: String { "_" + String(repeating: rawValue, count: 32) }
}
