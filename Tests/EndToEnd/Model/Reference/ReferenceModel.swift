/// What the service should be: the zones of one user's private database, and what it remembers of messages. A value, in
/// memory, one message after the other. Written from semantics 2, 4, 5, 6 and web-services 3.11, not from the service.
struct ReferenceModel: Sendable {
    /// What the model says of an answer.
    enum Expectation {
        /// It is this one.
        case answer(ModelAnswer)
        /// The message is a repeat: it reports the same as this one again.
        case again(ModelAnswer)

        /// Whether `answer` is as expected.
        func allows(_ answer: ModelAnswer) -> Bool {
            switch self {
            case .answer(let expected): answer == expected || answer.namesFewerCulprits(than: expected)
            case .again(let first): answer.outline == first.outline
            }
        }
    }

    /// Every zone that there is or was.
    private(set) var zones = [ModelZone.defaultName: ModelZone(incarnation: 0)]
    private var executed: [String: (request: ModelRequest, answer: ModelAnswer)] = [:]

    /// The zone of a name, which may not be there.
    func zone(_ name: String) -> ModelZone { zones[name] ?? ModelZone() }

    /// The records of a zone by name; nil when the zone is not there.
    func records(of zone: String) -> [String: ModelRecord]? {
        let zone = self.zone(zone)
        return zone.isThere ? zone.records : nil
    }

    /// Executes a message.
    ///
    /// - Parameter answer: the service's: names and change tags that it chose are taken from there, and it is what a
    ///   repeat has to tell again. When it is not as expected, the model is of no use any more.
    mutating func perform(_ message: ModelMessage, answered answer: ModelAnswer) -> Expectation {
        var zone = self.zone(message.request.zone)
        // A request of two operations on one record is no request.
        if case .records(_, let operations, _) = message.request {
            let names = operations.compactMap(\.name)
            if Set(names).count < names.count { return .answer(.refused(.badRequest)) }
        }
        if message.request.isRead {
            return .answer(zone.perform(message, chosen: []))
        }
        if let first = executed[message.id] {
            return first.request == message.request ? .again(first.answer) : .answer(.refused(.badRequest))
        }
        let expected = zone.perform(message, chosen: answer.items)
        zones[message.request.zone] = zone
        executed[message.id] = (message.request, answer)
        return .answer(expected)
    }
}
