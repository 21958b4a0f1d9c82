import CloudKitWire
import ServiceMessages
import TestSupport
import Testing

extension EndToEndTests {
    /// The common mistakes about records (semantics, appendix A 1 to 5), by number. `AppendixA.md` lists the tests for
    /// the other numbers.
    @Suite(.sharedStack, .timeLimit(.minutes(2))) struct AppendixATests {
        private static func reference(_ target: String, _ action: String) -> JSONValue {
            ["recordName": .string(target), "action": .string(action)]
        }

        private static func child(_ name: String, of parent: String, _ kind: String = "create") -> JSONValue {
            [
                "operationType": .string(kind),
                "record": [
                    "recordName": .string(name), "recordType": "Note", "parent": ["recordName": .string(parent)],
                ],
            ]
        }

        /// `ifServerRecordUnchanged`, `changedKeys` and `allKeys`, as sent by a client that has stored only the system
        /// fields.
        @Test(arguments: ["update", "forceUpdate"])
        func a01_oneKeyOverRebuiltSystemFieldsErasesNoOther(kind: String) async throws {
            let client = try SharedStack.current.client()
            try await client.zones("create", "Notes")
            let saved = try await client.save("Notes", "a", ["title": "old", "n": 1])
            let tag = kind == "update" ? saved.changeTag : nil
            let reply = try await client.modify("Notes", .operation(kind, "a", ["title": "new"], tag: tag))
            #expect(reply["records"]?[0]?.values == ["title": "new", "n": 1])
            #expect(try await client.record("Notes", "a").values == ["title": "new", "n": 1])
        }

        @Test func a02_allKeysLeavesServerKeysNilRemovesAndAnEmptyListSurvives() async throws {
            let client = try SharedStack.current.client()
            try await client.zones("create", "Notes")
            try await client.save("Notes", "a", ["mine": 1, "theirs": 2, "list": ["x"]])
            _ = try await client.modify("Notes", .operation("forceUpdate", "a", ["mine": 3, "list": []]))
            #expect(try await client.record("Notes", "a").values == ["mine": 3, "theirs": 2, "list": []])
            _ = try await client.modify("Notes", .operation("forceUpdate", "a", ["mine": nil]))
            #expect(try await client.record("Notes", "a").values == ["theirs": 2, "list": []])
        }

        @Test func a03_anAtomicZoneSavesAllOrNothingAndOthersContinue() async throws {
            let client = try SharedStack.current.client()
            try await client.zones("create", "Notes", "Others")
            try await client.save("Notes", "taken", ["n": 1])
            let batch: [JSONValue] = ["a", "taken", "b"].map { .operation("create", $0, ["n": 2]) }
            let refused = try await client.ask(.recordsModify, .modify("Notes", batch, atomic: true))
            #expect(refused.status == 400)
            #expect(refused.body.errorCode == "ATOMIC_ERROR")
            #expect(refused["records"]?.array?.map { $0["ckErrorCode"]?.int } == [22, 14, 22])
            #expect(refused["records"]?[1]?["serverRecord"]?.values == ["n": 1])
            #expect(try await client.changes("Notes").recordNames == ["taken"])
            let other = try await client.ask(.recordsModify, .modify("Others", batch, atomic: true))
            #expect(other.status == 200)
            // The default zone is not atomic.
            try await client.save("_defaultZone", "taken", ["n": 1])
            let loose = try await client.ask(.recordsModify, .modify("_defaultZone", batch, atomic: nil))
            #expect(loose.status == 200)
            #expect(loose["records"]?.array?.map { $0["ckErrorCode"]?.int } == [nil, 14, nil])
        }

        @Test func a04_aChildMayComeFirstAndItsParentStays() async throws {
            let client = try SharedStack.current.client()
            try await client.zones("create", "Notes")
            let orphan = try await client.modify("Notes", Self.child("child", of: "parent"))
            #expect(orphan["records"]?[0]?.errorCode == "VALIDATING_REFERENCE_ERROR")
            #expect(orphan["records"]?[0]?["ckErrorCode"] == 31)
            #expect(orphan["records"]?[0]?["field"] == "parent")
            let both = try await client.modify(
                "Notes", Self.child("child", of: "parent"), .operation("create", "parent"), atomic: true)
            #expect(both.status == 200)
            #expect(try await client.record("Notes", "child")["parent"]?["recordName"] == "parent")
            let alone = try await client.modify("Notes", .operation("forceDelete", "parent"))
            #expect(alone["records"]?[0]?["ckErrorCode"] == 31)
            let together = try await client.modify(
                "Notes", .operation("forceDelete", "parent"), .operation("forceDelete", "child"), atomic: true)
            #expect(together.status == 200)
        }

        @Test(arguments: ["a", "b"])
        func a05_aRecordGoesWithAnyOfItsTwoTargets(deleted: String) async throws {
            let client = try SharedStack.current.client()
            try await client.zones("create", "Notes")
            _ = try await client.modify(
                "Notes",
                .operation(
                    "create", "c",
                    ["to": Self.reference("a", "DELETE_SELF"), "also": Self.reference("b", "DELETE_SELF")]),
                .operation("create", "a"), .operation("create", "b"))
            let token = try #require(try await client.changes("Notes").syncToken)
            let reply = try await client.modify("Notes", .operation("forceDelete", deleted))
            // The answer does not list the records that were deleted by the cascade; the feed does.
            #expect(reply["records"]?.array?.count == 1)
            let changes = try await client.changes("Notes", since: token)
            #expect(changes.recordNames == [deleted, "c"])
            #expect(changes["records"]?.array?.allSatisfy { $0["deleted"] == true } == true)
            #expect(changes["records"]?.array?.allSatisfy { $0["recordType"] == "Note" } == true)
        }

        @Test func a05_aRecordOwnsNoMoreThanItMay() async throws {
            try await ServiceStack.with { stack in
                try await stack.startService(.record, ["ZONDA_LIMIT_PROFILE": "compat"])
                let client = stack.client()
                try await client.zones("create", "Notes")
                try await client.save("Notes", "owner", [:])
                func owned(_ numbers: Range<Int>) async throws -> TestReply {
                    let operations = numbers.map { number in
                        JSONValue.operation(
                            "create", "r\(number)", ["to": Self.reference("owner", "DELETE_SELF")])
                    }
                    return try await client.ask(.recordsModify, .modify("Notes", operations))
                }
                for start in stride(from: 0, to: 750, by: 150) {
                    let reply = try await owned(start..<start + 150)
                    #expect(reply["records"]?.array?.allSatisfy { $0.errorCode == nil } == true)
                }
                let refused = try await owned(750..<751)["records"]?[0]
                #expect(refused?["ckErrorCode"] == 27)
                #expect(refused?["limit"] == 750)
                #expect(
                    refused?["reason"] == "Limit exceeded for number of owning references to single record")
            }
        }
    }
}
