import Testing

/// Histories that the search must not be able to explain.
struct ExplanationTests {
    private let record = ModelRecord(
        name: "a", type: "Note", tag: "1", fields: [:], parent: nil, creator: "c0", modifier: "c0")

    @Test func messagesAreExplainedInAnyOrderThatTheyMayHaveHad() {
        let (first, second) = (create(sent: 3, answered: 4), update("2", sent: 1, answered: 5))
        #expect(order(of: [second, first])?.map(\.message.id) == ["create", "update 2"])
    }

    @Test func answeredBeforeSentMeansExecutedBefore() {
        #expect(order(of: [update("2", sent: 1, answered: 2), create(sent: 3, answered: 4)]) == nil)
    }

    @Test func lostUpdateIsNotExplained() {
        let both = [create(sent: 1, answered: 2), update("2", sent: 3, answered: 5), update("3", sent: 4, answered: 6)]
        #expect(order(of: Array(both.prefix(2))) != nil)
        #expect(order(of: both) == nil)
    }

    @Test func feedThatSkipsAChangeIsNotExplained() {
        let exchange = create(sent: 1, answered: 2)
        let shown = FeedObservation.changed([.saved(record)], isMadeAgain: false)
        let skipped = FeedObservation.changed([], isMadeAgain: false)
        #expect(order(of: [exchange], showing: shown) != nil)
        #expect(order(of: [exchange], showing: skipped) == nil)
    }

    private func order(of exchanges: [ModelExchange], showing feed: FeedObservation? = nil) -> [ModelExchange]? {
        let start = ReferenceModel()
        let before = start.zone(ModelZone.defaultName)
        var explanation = Explanation(from: start) { model in
            feed?.shows(model.zone(ModelZone.defaultName), since: before) ?? true
        }
        return explanation.find(exchanges)
    }

    private func create(sent: Int, answered: Int) -> ModelExchange {
        exchange("create", .create, tag: nil, answer: record, sent, answered)
    }

    /// Returns an update of the record that names the change tag of its creation.
    private func update(_ tag: String, sent: Int, answered: Int) -> ModelExchange {
        var answer = record
        answer.tag = tag
        return exchange("update \(tag)", .update, tag: "1", answer: answer, sent, answered)
    }

    private func exchange(
        _ id: String, _ kind: ModelOperation.Kind, tag: String?, answer: ModelRecord, _ sent: Int, _ answered: Int
    ) -> ModelExchange {
        let operation = ModelOperation(kind: kind, name: "a", type: "Note", tag: tag)
        let request = ModelRequest.records(zone: ModelZone.defaultName, [operation], atomic: nil)
        return ModelExchange(
            message: ModelMessage(id: id, client: "c0", request: request),
            answer: .records([.saved(answer)], isAtomicFailure: false), sent: sent, answered: answered)
    }
}
