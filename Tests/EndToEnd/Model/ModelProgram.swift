import TestGenerators

/// The steps of the clients, which a seed determines: the same seed gives every client the same steps in every round.
/// Values that are known only during a run (a change tag, an old token, an earlier message) are represented by random
/// numbers, and are looked up when the step is executed.
struct ModelProgram: Sendable {
    /// One step of a client.
    enum Step: Sendable {
        /// `records.modify`. If `copies` is above one, several copies of the message are sent concurrently.
        case modify(zone: String, [Draft], atomic: Bool?, isWeb: Bool, copies: Int, isSlow: Bool)
        case createZone(String)
        case deleteZone(String)
        /// An earlier message is sent again.
        case again(Int)
        /// Records are looked up by name.
        case lookup(zone: String, [String])
        /// A message with the id of an earlier message has another body.
        case reuse(Int)
        /// A zone's feed is read in pages, from an old token or from the beginning.
        case readZone(String, since: Int?, limit: Int64)
        /// A zone's feed is read with a token of another zone.
        case readForeign(String, since: Int)
        /// The database's feed is read, and then the feeds of the zones that it lists.
        case syncDatabase(since: Int?, limit: Int64)
    }

    /// An operation whose change tag is not determined yet.
    struct Draft: Sendable {
        /// The tag that the operation names: none, the current one, or any tag of the run.
        enum Tag: Sendable {
            case none, present, any(Int)
        }

        let operation: ModelOperation
        let tag: Tag
    }

    /// The custom zones. The default zone is used too.
    static let zones = ["Stays", "Goes", "Flits"]
    static let clients = 4
    private static let names = (0..<7).map { "r\($0)" }

    /// The seed, which is printed, and which `ZONDA_TEST_MODEL_SEED` can set.
    let seed: UInt64
    /// The fraction of writes that are delayed between their decision and their commit.
    let slowness: Double

    /// Returns the steps of a client in a round, in order.
    func steps(client: Int, round: Int) -> [Step] {
        var draws = SeededGenerator(seed: seed &+ UInt64(round) &* 0x9E37 &+ UInt64(client) &* 0x1_0000_0001)
        return (0..<draws.number(1...4)).map { _ in step(&draws) }
    }

    private func step(_ draws: inout SeededGenerator) -> Step {
        let zone = draws.one(of: [ModelZone.defaultName, "Stays", "Stays", "Stays", "Goes", "Goes", "Flits"])
        let passing = draws.one(of: ["Stays", "Goes", "Goes", "Goes", "Flits", "Flits", "Flits", "Flits"])
        switch draws.number(0..<100) {
        case ..<55:
            return .modify(
                zone: zone, operations(&draws), atomic: draws.one(of: [nil, nil, true, false, false]),
                isWeb: draws.chance(0.3), copies: draws.chance(0.1) ? 2 : 1, isSlow: draws.chance(slowness))
        case ..<65: return .createZone(passing)
        case ..<70: return .deleteZone(passing)
        case ..<83: return .again(draws.index())
        case ..<85: return .reuse(draws.index())
        case ..<88:
            return .lookup(zone: zone, Array(Self.names.shuffled(using: &draws).prefix(draws.number(1...5))))
        case ..<94:
            return .readZone(zone, since: draws.chance(0.2) ? nil : draws.index(), limit: draws.number(1...9))
        case ..<96: return .readForeign(zone, since: draws.index())
        default: return .syncDatabase(since: draws.chance(0.2) ? nil : draws.index(), limit: draws.number(1...4))
        }
    }

    private func operations(_ draws: inout SeededGenerator) -> [Draft] {
        var names = Array(Self.names.shuffled(using: &draws).prefix(draws.number(1...4)))
        if draws.chance(0.03) { names.append(names[0]) }
        return names.map { name in
            let tag: Draft.Tag =
                switch draws.number(0..<10) {
                case ..<3: .none
                case ..<8: .present
                default: .any(draws.index())
                }
            return Draft(operation: operation(name, &draws), tag: tag)
        }
    }

    private func operation(_ name: String, _ draws: inout SeededGenerator) -> ModelOperation {
        let kind = draws.one(
            of: ModelOperation.Kind.allCases + [.create, .update, .forceUpdate, .forceUpdate]
                + [.forceReplace, .forceReplace, .forceDelete])
        let isNameless = kind == .create && draws.chance(0.15)
        let usual = name < "r5" ? "Note" : "Task"
        let type = draws.chance(0.9) ? usual : draws.one(of: ["Note", "Task", nil])
        var operation = ModelOperation(kind: kind, name: isNameless ? nil : name, type: type)
        if kind.isDelete { return operation }
        for field in ["a", "b", "c"] where draws.chance(0.4) {
            operation.fields[field] = .some(draws.chance(0.2) ? nil : .number(draws.number(0..<1000)))
        }
        for field in ["one", "other"] where draws.chance(0.3) {
            let action = draws.one(of: ModelValue.Action.allCases + [.deleteSelf, .deleteSelf])
            operation.fields[field] = .some(draws.chance(0.2) ? nil : .reference(draws.one(of: Self.names), action))
        }
        if draws.chance(0.2) {
            operation.parent = draws.chance(0.3) ? .clear : .set(draws.one(of: Self.names))
        }
        return operation
    }
}

extension SeededGenerator {
    mutating func number<Number: FixedWidthInteger>(_ range: Range<Number>) -> Number {
        Number.random(in: range, using: &self)
    }

    mutating func number<Number: FixedWidthInteger>(_ range: ClosedRange<Number>) -> Number {
        Number.random(in: range, using: &self)
    }

    mutating func one<Element>(of elements: [Element]) -> Element { elements[number(elements.indices)] }

    /// Returns a random number, to be taken modulo the length of a list that is known only during the run.
    mutating func index() -> Int { number(0..<Int(Int32.max)) }
}
