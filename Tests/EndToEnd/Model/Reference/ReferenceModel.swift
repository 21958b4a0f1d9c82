/// A model of the service: zones, and the remembered messages. The names of the zones are unique even if the zones belong
/// to several users. The model is a value in memory that executes one message after the other. It was written from
/// semantics 2, 4, 5, 6, 11 and web-services 3.11, not from the service's code.
struct ReferenceModel: Sendable {
    /// The answer that the model expects.
    enum Expectation {
        /// The answer is this one.
        case answer(ModelAnswer)
        /// The message is a repeat; its answer must report the same as this one.
        case again(ModelAnswer)
        /// The message accepts a share, or did so before. If the user has lost access in the meantime, the answer is
        /// that there is no such share.
        case acceptance

        /// Returns whether `answer` is as expected.
        func allows(_ answer: ModelAnswer) -> Bool {
            switch self {
            case .answer(let expected):
                let expected = expected.filled(from: answer)
                return answer == expected || answer.namesFewerCulprits(than: expected)
            case .again(let first): return answer.outline == first.filled(from: answer).outline
            case .acceptance: return answer == .accepted || answer == .refused(.notFound)
            }
        }
    }

    /// All zones that exist or have existed.
    private(set) var zones = [ModelZone.defaultName: ModelZone(incarnation: 0)]
    private var executed: [String: (request: ModelRequest, answer: ModelAnswer)] = [:]
    private let moveLimit: Int

    /// Creates a model of a service that has executed nothing.
    ///
    /// - Parameter moveLimit: the number of records that one request can move between shares.
    init(moveLimit: Int = .max) { self.moveLimit = moveLimit }

    /// Returns the zone with a name. It may not exist.
    func zone(_ name: String) -> ModelZone { zones[name] ?? ModelZone() }

    /// Returns the records of a zone by name; nil if the zone does not exist.
    func records(of zone: String) -> [String: ModelRecord]? {
        let zone = self.zone(zone)
        return zone.isThere ? zone.records : nil
    }

    /// Replaces the unknown change tags of a zone by those that a feed showed.
    mutating func learn(tags seen: [String: ModelRecord], in zone: String) { zones[zone]?.learn(tags: seen) }

    /// Records that all background jobs in a zone have finished.
    mutating func settle(_ zone: String) { zones[zone]?.settle() }

    /// Allows for an access to a share of a zone that a user may have gained and lost without the model knowing it.
    mutating func doubt(_ share: ModelShare, _ name: String, of user: String, in zone: String) {
        zones[zone]?.doubt(share, name, of: user)
    }

    /// Executes a message that a service executed but did not answer, because it was killed. The message is repeated, so
    /// that ``perform(_:answered:)`` must follow.
    ///
    /// - Parameter answer: the answer to the repeat. It provides what the service chose, unless the participant who sent
    ///   the message has lost access in the meantime.
    /// - Returns: false if the message was executed before, or if repeating it makes no difference.
    mutating func begin(_ message: ModelMessage, repeatAnswered answer: ModelAnswer) -> Bool {
        guard executed[message.id] == nil, !message.request.isRead, !message.request.isAcceptance else { return false }
        var zone = self.zone(message.request.zone)
        let first = zone.perform(message, chosen: answer.items, moveLimit: moveLimit)
        zones[message.request.zone] = zone
        executed[message.id] = (message.request, first)
        return true
    }

    /// Executes a message.
    ///
    /// - Parameter answer: the service's answer. It provides the names, change tags and links that the service chose,
    ///   and a repeat must report the same. If the answer is not as expected, the model can no longer be used.
    mutating func perform(_ message: ModelMessage, answered answer: ModelAnswer) -> Expectation {
        var zone = self.zone(message.request.zone)
        // A request with two operations on one record is invalid.
        if case .records(_, let operations, _) = message.request {
            let names = operations.compactMap(\.name)
            if Set(names).count < names.count { return .answer(.refused(.badRequest)) }
        }
        if message.request.isRead {
            return .answer(zone.perform(message, chosen: answer.items, moveLimit: moveLimit))
        }
        // While records are moving, no user gains access, and participants wait with moves. Nothing is decided.
        if answer == .refused(.zoneBusy), zone.isMoving { return .answer(answer) }
        if let first = executed[message.id] {
            guard first.request == message.request else { return .answer(.refused(.badRequest)) }
            if case .accept = message.request { return .acceptance }
            // To a participant without access, the zone does not exist. A departure from the zone is not examined again.
            let isLost = message.participant.map { zone.access(of: $0).isEmpty } ?? false
            return isLost && !message.request.isOfZones ? .answer(.refused(.zoneNotFound)) : .again(first.answer)
        }
        let expected = zone.perform(message, chosen: answer.items, moveLimit: moveLimit)
        zones[message.request.zone] = zone
        executed[message.id] = (message.request, answer)
        return expected == .accepted ? .acceptance : .answer(expected)
    }
}
