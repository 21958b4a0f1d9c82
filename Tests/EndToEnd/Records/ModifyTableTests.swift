import CloudKitWire
import TestSupport
import Testing

extension EndToEndTests {
    /// The table of operation types: the effect of each operation on a record that does not exist, or that exists while
    /// the request names its tag, another tag or none.
    @Suite(.sharedStack, .timeLimit(.minutes(2))) struct ModifyTableTests {
        enum State: String, CaseIterable, Sendable {
            case absent, tagMatches = "tag matches", tagDiffers = "tag differs", noTag = "no tag"
        }

        enum Outcome: Sendable, Equatable {
            case created, merged, replaced, deleted, notFound, conflict
        }

        struct Row: Sendable, CustomTestStringConvertible {
            let kind: String
            let state: State
            let outcome: Outcome
            var testDescription: String { "\(kind), \(state.rawValue): \(outcome)" }
        }

        static let table: [Row] = [
            ("create", [.created, .conflict, .conflict, .conflict]),
            ("update", [.notFound, .merged, .conflict, .merged]),
            ("forceUpdate", [.created, .merged, .merged, .merged]),
            ("replace", [.notFound, .replaced, .conflict, .replaced]),
            ("forceReplace", [.created, .replaced, .replaced, .replaced]),
            ("delete", [.notFound, .deleted, .conflict, .deleted]),
            ("forceDelete", [.deleted, .deleted, .deleted, .deleted]),
        ].flatMap { (kind: String, outcomes: [Outcome]) in
            zip(State.allCases, outcomes).map { Row(kind: kind, state: $0, outcome: $1) }
        }

        @Test(arguments: table) func operationDoesWhatTheTableSays(_ row: Row) async throws {
            let client = try SharedStack.current.client()
            try await client.zones("create", "Notes")
            var tag: String?
            if row.state != .absent {
                let stale = try await client.save("Notes", "a", ["old": 0])
                let present = try await client.save("Notes", "a", ["old": 1])
                #expect(stale.changeTag != present.changeTag)
                tag = row.state == .tagMatches ? present.changeTag : row.state == .tagDiffers ? stale.changeTag : nil
            }
            let before = try await client.record("Notes", "a")
            let isDelete = row.kind.lowercased().contains("delete")
            let reply = try await client.modify(
                "Notes", .operation(row.kind, "a", isDelete ? [:] : ["new": 2], tag: tag))
            #expect(reply.status == 200)
            let item = try #require(reply["records"]?[0])
            let after = try await client.record("Notes", "a")
            switch row.outcome {
            case .created:
                #expect(item.values == ["new": 2])
                #expect(item["recordType"] == "Note")
            case .merged: #expect(item.values == ["old": 1, "new": 2])
            case .replaced: #expect(item.values == ["new": 2])
            case .deleted:
                #expect(item["deleted"] == true)
                #expect(item["recordName"] == "a")
                #expect(after.errorCode == "NOT_FOUND")
            case .notFound:
                #expect(item.errorCode == "NOT_FOUND")
                #expect(item["ckErrorCode"] == 11)
            case .conflict:
                #expect(item.errorCode == "CONFLICT")
                #expect(item["ckErrorCode"] == 14)
                #expect(item.reasonCode == (row.kind == "create" ? "record_exists" : "change_tag_stale"))
                #expect(item["serverRecord"]?.values == ["old": 1])
                #expect(item["serverRecord"]?.changeTag == before.changeTag)
            }
            if [.notFound, .conflict].contains(row.outcome) {
                #expect(after.apartFromItsRequest == before.apartFromItsRequest, "a refused operation changes nothing")
            } else if row.outcome != .deleted {
                #expect(after == item, "what is answered is what is kept")
                #expect(item.changeTag != nil && item.changeTag != before.changeTag)
                #expect(item["created"] == (row.outcome == .created ? item["modified"] : before["created"]))
            }
        }
    }
}

extension JSONValue {
    /// The item without the members that depend on the request.
    fileprivate var apartFromItsRequest: JSONValue {
        .object((members ?? []).filter { $0.key != "requestID" })
    }
}
