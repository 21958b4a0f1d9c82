import Testing

/// The model is small enough to be verified by reading. These tests state the properties that matter.
struct ReferenceModelTests {
    private var model = ModelUnderTest()

    @Test mutating func mergeKeepsWhatIsNotNamedAndReplaceDoesNot() {
        model.save("a", ["x": .number(1), "y": .number(2)])
        model.batch([ModelOperation(kind: .update, name: "a", type: "Note", fields: ["x": .number(3)])])
        #expect(model.records["a"]?.fields == ["x": .number(3), "y": .number(2)])
        model.batch([ModelOperation(kind: .replace, name: "a", type: "Note", fields: ["x": nil])])
        #expect(model.records["a"]?.fields == [:])
    }

    @Test mutating func failureOfOneUndoesAnAtomicBatchOnly() {
        let batch = [
            ModelOperation(kind: .create, name: "a", type: "Note"),
            ModelOperation(kind: .update, name: "b", type: "Note"),
        ]
        #expect(model.batch(batch).map(\.error) == [.atomicFailure, .notFound])
        #expect(model.records.isEmpty)
        #expect(model.batch(batch, atomic: false).map(\.error) == [nil, .notFound])
        #expect(model.records.keys.sorted() == ["a"])
    }

    @Test mutating func aDeletionIncludesTheRecordsThatReferByDeleteSelf() {
        model.save("root")
        model.save("child", ["to": .reference("root", .deleteSelf)])
        model.save("grandchild", ["to": .reference("child", .deleteSelf)])
        model.save("stays", ["to": .reference("root", .none)])
        model.delete("root")
        #expect(model.records.keys.sorted() == ["stays"])
    }

    @Test(arguments: [true, false]) mutating func ownerHasToBeThereForTheWebOnly(isWeb: Bool) {
        let operation = ModelOperation(
            kind: .create, name: "a", type: "Note", fields: ["to": .reference("b", .deleteSelf)])
        #expect(model.batch([operation], isWeb: isWeb).map(\.error) == [isWeb ? .brokenReference : nil])
    }

    @Test mutating func deletionOfOneOfACycleEndsItAll() {
        model.batch([
            ModelOperation(kind: .create, name: "a", type: "Note", fields: ["to": .reference("b", .deleteSelf)]),
            ModelOperation(kind: .create, name: "b", type: "Note", fields: ["to": .reference("a", .deleteSelf)]),
        ])
        model.delete("b")
        #expect(model.records.isEmpty)
    }

    @Test(arguments: [true, false]) mutating func whatARecordNeedsMayComeAfterItInTheBatch(atomic: Bool) {
        let child = ModelOperation(kind: .create, name: "child", type: "Note", parent: .set("root"))
        #expect(model.batch([child], atomic: atomic).map(\.error) == [.brokenReference])
        let root = ModelOperation(kind: .create, name: "root", type: "Note")
        #expect(model.batch([child, root], atomic: atomic).map(\.error) == [nil, nil])
    }

    @Test mutating func whatARecordNeedsStaysUnlessBothGo() {
        model.save("root")
        model.save("child", ["to": .reference("root", .validate)])
        #expect(model.delete("root").map(\.error) == [.brokenReference])
        #expect(model.delete("root", "child").map(\.error) == [nil, nil])
        #expect(model.records.isEmpty)
    }

    @Test mutating func saveThatFailsHoldsNothing() {
        model.save("root")
        let both = [
            ModelOperation(kind: .create, name: "child", type: "Note", parent: .set("root")),
            ModelOperation(kind: .delete, name: "root", type: nil),
        ]
        #expect(model.batch(both).map(\.error) == [.brokenReference, .atomicFailure])
        #expect(model.batch(both, atomic: false).map(\.error) == [.brokenReference, nil])
        #expect(model.records.isEmpty)
    }

    @Test mutating func deletionFailsWhenItsCascadeWouldTakeWhatIsNeeded() {
        model.save("root")
        model.save("child", ["to": .reference("root", .deleteSelf)])
        model.save("needy", ["to": .reference("child", .validate)])
        #expect(model.delete("root").map(\.error) == [.brokenReference])
        #expect(model.records.count == 3)
    }

    @Test mutating func independentSaveFailsWithTheOneThatItNeeds() {
        let answer = model.batch(
            [
                ModelOperation(kind: .create, name: "child", type: "Note", parent: .set("root")),
                ModelOperation(kind: .update, name: "root", type: "Note"),
                ModelOperation(kind: .create, name: "other", type: "Note"),
            ], atomic: false)
        #expect(answer.map(\.error) == [.brokenReference, .notFound, nil])
    }

    @Test mutating func repeatHasNoEffectAndIdsAreNotUsedTwice() {
        let create = ModelOperation(kind: .create, name: "a", type: "Note")
        model.batch([create], id: "m")
        model.delete("a")
        guard case .again(.records(let items, _)) = model.send([create], id: "m") else {
            Issue.record("not known to be a repeat")
            return
        }
        #expect(items.map(\.error) == [nil])
        #expect(model.records.isEmpty)
        guard case .answer(.refused(.badRequest)) = model.send([], id: "m") else {
            Issue.record("another body is not refused")
            return
        }
    }
}

/// A model with one zone, and a simulated service that chooses the tags.
private struct ModelUnderTest {
    private var model = ReferenceModel()
    private var sent = 0

    init() {
        _ = model.perform(
            ModelMessage(id: "zone", client: "c", request: .createZone("Zone")), answered: .zone(isDeleted: false))
    }

    var records: [String: ModelRecord] { model.records(of: "Zone") ?? [:] }

    mutating func send(
        _ operations: [ModelOperation], atomic: Bool = true, isWeb: Bool = false, id: String
    ) -> ReferenceModel.Expectation {
        sent += 1
        let request = ModelRequest.records(zone: "Zone", operations, atomic: atomic)
        let chosen = operations.map { operation in
            ModelItem.saved(
                ModelRecord(
                    name: operation.name ?? "", type: "", tag: "t\(sent)", fields: [:], parent: nil, creator: "",
                    modifier: ""))
        }
        return model.perform(
            ModelMessage(id: id, client: "c", isWeb: isWeb, request: request),
            answered: .records(chosen, isAtomicFailure: false))
    }

    @discardableResult
    mutating func batch(
        _ operations: [ModelOperation], atomic: Bool = true, isWeb: Bool = false, id: String? = nil
    ) -> [ModelItem] {
        let expectation = send(operations, atomic: atomic, isWeb: isWeb, id: id ?? "m\(sent)")
        guard case .answer(let answer) = expectation else { return [] }
        return answer.items
    }

    mutating func save(_ name: String, _ fields: [String: ModelValue] = [:]) {
        batch([ModelOperation(kind: .create, name: name, type: "Note", fields: fields)])
    }

    @discardableResult
    mutating func delete(_ names: String...) -> [ModelItem] {
        batch(names.map { ModelOperation(kind: .forceDelete, name: $0, type: nil) })
    }
}
