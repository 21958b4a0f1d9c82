import Testing

/// Histories that the search must not be able to explain.
struct ExplanationTests {
    private let record = ModelRecord(
        name: "a", type: "Note", tag: "1", fields: [:], parent: nil, creator: "c0", modifier: "c0")

    @Test func messagesAreExplainedInAnyOrderThatTheyMayHaveHad() {
        let (first, second) = (create(sent: 3, answered: 4), update("2", sent: 1, answered: 5))
        #expect(order(of: [second, first])?.map(\.exchange.message.id) == ["create", "update 2"])
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

    /// A participant who left is answered that there is no zone if the departure is repeated.
    @Test func departureThatWasNotAnsweredIsExplainedIfAServiceWasKilled() {
        var exchange = ModelExchange(
            message: ModelMessage(
                id: "departure", client: "c1", participant: "_b",
                request: .records(
                    zone: "Zone", [ModelOperation(kind: .forceDelete, name: "S", type: nil)], atomic: true)),
            answer: .refused(.zoneNotFound), sent: 1, answered: 2)
        var explanation = Explanation(from: Self.sharedZone) { $0.zone("Zone").access(of: "_b").isEmpty }
        #expect(explanation.find([exchange]) == nil)
        exchange.isInterrupted = true
        #expect(explanation.find([exchange])?.map(\.isUnanswered) == [true, false])
        // The access that was not lost is not explained away.
        var other = Explanation(from: Self.sharedZone) { !$0.zone("Zone").access(of: "_b").isEmpty }
        #expect(other.find([exchange]) == nil)
    }

    /// If the record has changed since, the answer to a repeat contains only the fields of the request.
    @Test func answerToARepeatAfterALaterWriteIsExplainedIfAServiceWasKilled() {
        let zone = ModelZone.defaultName
        func message(_ id: String, _ kind: ModelOperation.Kind, _ field: String) -> ModelMessage {
            let operation = ModelOperation(kind: kind, name: "a", type: "Note", fields: [field: .number(1)])
            return ModelMessage(id: id, client: "c0", request: .records(zone: zone, [operation], atomic: nil))
        }
        func answer(_ tag: String, _ fields: [String]) -> ModelAnswer {
            var record = record
            record.tag = tag
            for field in fields { record.fields[field] = .number(1) }
            return .records([.saved(record)], isAtomicFailure: false)
        }
        var start = ReferenceModel()
        _ = start.perform(message("create", .create, "x"), answered: answer("1", ["x"]))
        var first = ModelExchange(
            message: message("first", .forceUpdate, "y"), answer: answer("2", ["y"]), sent: 1, answered: 4)
        let second = ModelExchange(
            message: message("second", .forceUpdate, "z"), answer: answer("3", ["x", "y", "z"]), sent: 2, answered: 3)
        var explanation = Explanation(from: start) { _ in true }
        #expect(explanation.find([first, second]) == nil)
        first.isInterrupted = true
        #expect(explanation.find([first, second])?.map(\.isUnanswered) == [true, false, false])
    }

    /// A zone with a share that the user `_b` has accepted.
    private static var sharedZone: ReferenceModel {
        var model = ReferenceModel()
        func perform(_ id: String, by user: String? = nil, _ request: ModelRequest, _ answer: ModelAnswer) {
            _ = model.perform(
                ModelMessage(id: id, client: "c0", participant: user, request: request), answered: answer)
        }
        let root = ModelOperation(kind: .create, name: "list", type: "Note")
        let share = ModelOperation(
            kind: .create, name: "S", type: ModelShare.recordType,
            share: ModelShareChange(root: "list", participants: ["_b": .readWrite]))
        let saved = [root, share].map { operation in
            ModelItem.saved(
                ModelRecord(
                    name: operation.name ?? "", type: operation.type ?? "", tag: "1",
                    fields: ["shortGUID": .text("link")], parent: nil, creator: "c0", modifier: "c0"))
        }
        perform("zone", .createZone("Zone"), .zone(isDeleted: false))
        perform(
            "share", .records(zone: "Zone", [root, share], atomic: true), .records(saved, isAtomicFailure: false))
        perform("acceptance", by: "_b", .accept(zone: "Zone", link: "link"), .accepted)
        return model
    }

    private func order(of exchanges: [ModelExchange], showing feed: FeedObservation? = nil) -> [Explanation.Step]? {
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
