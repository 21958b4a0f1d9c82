import TestSupport

/// A message and its answer, with the times of both, in ticks of a clock that all clients share.
struct ModelExchange: Sendable {
    let message: ModelMessage
    let answer: ModelAnswer
    let sent: Int
    let answered: Int
    /// Whether a service was killed meanwhile. The message may then have been executed without being answered, and the
    /// answer may be that to its repeat.
    var isInterrupted = false
}

/// Searches for an order of the messages in which the model gives every answer that the clients got, and ends in the
/// state that the feed shows. Requests that did not overlap in time keep their order. A message during which a service
/// was killed may have two places in the order: its execution, and the repeat that was answered.
struct Explanation {
    /// One place in the order.
    struct Step: Sendable {
        let exchange: ModelExchange
        /// Whether the message was executed here, but answered later.
        var isUnanswered = false
    }

    /// The model before the messages.
    let start: ReferenceModel
    /// Returns whether a state is the one that was observed afterwards.
    let isObserved: (ReferenceModel) -> Bool

    /// The number of attempts after which the search is given up. If no order fits, their number explodes.
    private static let maxAttempts = 200_000

    /// The number of times that a message was tried at some position.
    private(set) var attempts = 0
    /// The attempt that explained most messages, and the reasons why it explained no more, for people.
    private(set) var best: (explained: [Step], trouble: [String]) = ([], ["nothing was tried"])

    init(from start: ReferenceModel, isObserved: @escaping (ReferenceModel) -> Bool) {
        self.start = start
        self.isObserved = isObserved
    }

    /// Returns an order of `exchanges` that explains them; nil if there is none.
    mutating func find(_ exchanges: [ModelExchange]) -> [Step]? { search(from: start, [], exchanges) }

    private mutating func search(
        from model: ReferenceModel, _ explained: [Step], _ rest: [ModelExchange]
    ) -> [Step]? {
        if rest.isEmpty, isObserved(model) { return explained }
        var trouble = rest.isEmpty ? ["what the feed shows is another state"] : []
        for (index, exchange) in rest.enumerated() where !rest.contains(where: { $0.answered < exchange.sent }) {
            attempts += 1
            guard attempts <= Self.maxAttempts else { break }
            var next = model
            let expectation = next.perform(exchange.message, answered: exchange.answer)
            guard expectation.allows(exchange.answer) else {
                trouble.append("\(exchange.message)\n      answered \(exchange.answer)\n      expected \(expectation)")
                continue
            }
            var others = rest
            others.remove(at: index)
            if let found = search(from: next, explained + [Step(exchange: exchange)], others) { return found }
        }
        for exchange in rest where exchange.isInterrupted && !rest.contains(where: { $0.answered < exchange.sent }) {
            attempts += 1
            var next = model
            guard attempts <= Self.maxAttempts, next.begin(exchange.message, repeatAnswered: exchange.answer) else {
                continue
            }
            let step = Step(exchange: exchange, isUnanswered: true)
            if let found = search(from: next, explained + [step], rest) { return found }
        }
        if !trouble.isEmpty, explained.count >= best.explained.count { best = (explained, trouble) }
        return nil
    }
}

extension Explanation {
    /// Finds an order of the messages of one zone that explains their answers and what the zone's feed then shows.
    ///
    /// - Throws: ``TestFailure`` that describes the failure, if there is no such order.
    static func order(
        of exchanges: [ModelExchange], from model: ReferenceModel, in zone: String, by observation: FeedObservation
    ) throws -> [Step] {
        let before = model.zone(zone)
        var explanation = Explanation(from: model) { observation.shows($0.zone(zone), since: before) }
        // The message that was answered first was usually executed first.
        if let order = explanation.find(exchanges.sorted { $0.answered < $1.answered }) { return order }
        throw TestFailure(
            """
            nothing explains what happened in zone \(zone).
            Before: \(before)
            Afterwards its feed shows: \(observation)
            Messages, with the moments at which they were sent and answered:
            \(exchanges.map { "  \($0)" }.joined(separator: "\n"))
            Messages were tried \(explanation.attempts) times. The best order begins with
            \(explanation.best.explained.map(\.exchange.message.id)). Then:
            \(explanation.best.trouble.map { "  \($0)" }.joined(separator: "\n"))
            """)
    }
}
