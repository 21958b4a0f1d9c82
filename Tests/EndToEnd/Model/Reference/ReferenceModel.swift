/// A model of the service: the zones of one user's private database, and the remembered messages. It is a value in
/// memory that executes one message after the other. It was written from semantics 2, 4, 5, 6 and web-services 3.11,
/// not from the service's code.
struct ReferenceModel: Sendable {
    /// The answer that the model expects.
    enum Expectation {
        /// The answer is this one.
        case answer(ModelAnswer)
        /// The message is a repeat; its answer must report the same as this one.
        case again(ModelAnswer)

        /// Returns whether `answer` is as expected.
        func allows(_ answer: ModelAnswer) -> Bool {
            switch self {
            case .answer(let expected): answer == expected || answer.namesFewerCulprits(than: expected)
            case .again(let first): answer.outline == first.outline
            }
        }
    }

    /// All zones that exist or have existed.
    private(set) var zones = [ModelZone.defaultName: ModelZone(incarnation: 0)]
    private var executed: [String: (request: ModelRequest, answer: ModelAnswer)] = [:]

    /// Returns the zone with a name. It may not exist.
    func zone(_ name: String) -> ModelZone { zones[name] ?? ModelZone() }

    /// Returns the records of a zone by name; nil if the zone does not exist.
    func records(of zone: String) -> [String: ModelRecord]? {
        let zone = self.zone(zone)
        return zone.isThere ? zone.records : nil
    }

    /// Executes a message.
    ///
    /// - Parameter answer: the service's answer. It provides the names and change tags that the service chose, and a
    ///   repeat must report the same. If the answer is not as expected, the model can no longer be used.
    mutating func perform(_ message: ModelMessage, answered answer: ModelAnswer) -> Expectation {
        var zone = self.zone(message.request.zone)
        // A request with two operations on one record is invalid.
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
