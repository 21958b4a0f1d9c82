import CloudKitModel
import CloudKitQuery
import CloudKitWire
import ServiceMessages
import TestSupport
import Testing

extension EndToEndTests {
    /// Queries have limits. A query that exceeds them is answered with an error.
    @Suite(
        .sharedStack([
            "ZONDA_LIMIT_SCAN": "100", "ZONDA_LIMIT_GROUPS": "3", "ZONDA_QUERY_TIMEOUT": "1s",
            "ZONDA_RECORD_QUERIES": "2",
        ]), .timeLimit(.minutes(3)))
    struct QueryLimitTests {
        /// A text that contains none of the searched strings. Folding it takes long, because no letter is ASCII.
        private static let text = String(repeating: "éü", count: 200_000)
        private static let heavy = "title CONTAINS[cd] 'zz' OR title CONTAINS[c] 'yy' OR title CONTAINS[d] 'xx'"

        @Test func aScanThatIsTooLargeIsRefusedUntilItsIndexIsBuilt() async throws {
            let client = try await SharedStack.current.client().inNewContainer()
            try await client.save((0..<100).map { .item("r\($0)", ["n": .int($0), "title": .string("t\($0)")]) })
            #expect(try await client.find("n == 5").body.recordNames == ["r5"])
            try await client.save([.item("more", ["n": 1_000])])
            for operation in [ServiceMessages.Operation.recordsQuery, .recordsAggregate, .recordsExplain] {
                let refused = try await client.ask(operation, .query("Item", "title ENDSWITH 't5'"))
                #expect(refused.status == 400)
                #expect(refused.body.errorCode == "BAD_REQUEST")
                #expect(refused.body.reasonCode == "scan_too_large", "\(operation): \(refused.body)")
                #expect(refused["limit"] == 100)
                #expect(refused["reason"]?.string?.contains("'title'") == true, "\(refused.body)")
            }
            _ = try await client.find("title CONTAINS 't57'")
            try await client.untilIndexesAreReady()
            #expect(try await client.find("title CONTAINS 't57'").body.recordNames == ["r57"])
            #expect(try await client.find("n == 5").body.recordNames == ["r5"])
            // Two letters are too few for the substring index, so all records of the type are read, by the index of the
            // type.
            #expect(try await client.find("title ENDSWITH 't5'").body.recordNames == ["r5"])
            #expect(try await client.find("n != 5").body.recordNames.count == 100)
        }

        @Test func moreGroupsThanMayBeAreRefused() async throws {
            let client = try await SharedStack.current.client().inNewContainer()
            try await client.save((0..<3).map { .item("r\($0)", ["n": .int($0)]) })
            func groups() async throws -> TestReply {
                try await client.ask(.recordsAggregate, .query(with: [.init("groupBy", ["fieldName": "n"])]))
            }
            #expect(try await groups()["results"]?.array?.count == 3)
            try await client.save([.item("none")])
            let refused = try await groups()
            #expect(refused.body.reasonCode == "too_many_groups")
            #expect(refused["limit"] == 3)
        }

        @Test func aQueryThatRunsForTooLongIsStoppedAndNothingElseIs() async throws {
            let client = try await SharedStack.current.client().inNewContainer()
            for number in 0..<20 { try await client.save([.item("r\(number)", ["title": .string(Self.text)])]) }
            for operation in [ServiceMessages.Operation.recordsQuery, .recordsAggregate, .recordsExplain] {
                let stopped = try await client.ask(operation, .query("Item", Self.heavy))
                #expect(stopped.status == 400, "\(operation): \(stopped.body)")
                #expect(stopped.body.reasonCode == "query_too_expensive")
            }
            #expect(
                try await client.find("recordID == 'r1'", with: [.init("desiredKeys", [])]).body.recordNames == ["r1"])
        }

        @Test func savesContinueWhileAllQueryWorkersAreBusyInTheDatabase() async throws {
            let records = (0..<20).map { JSONValue.item("r\($0)", ["title": .string(Self.text)]) }
            try await Self.savesGoOn(beside: Self.heavy, over: records)
        }

        @Test func savesContinueWhileAllQueryWorkersAreBusyInMemory() async throws {
            let text = JSONValue.string(String(repeating: "éü", count: 10_000))
            let records = (0..<80).map { JSONValue.item("r\($0)", ["title": text]) }
            try await Self.savesGoOn(beside: "title MATCHES '(é|ü|éü)*(éü)*x'", over: records)
        }

        /// Sends heavy queries, twice as many as are executed concurrently, and saves records until the first query has
        /// ended. Checks that the saves are answered before that.
        private static func savesGoOn(beside format: String, over records: [JSONValue]) async throws {
            let client = try await SharedStack.current.client().inNewContainer()
            // The queries do not read the records that are saved in the meantime.
            try await client.zones("create", "Y")
            for record in records { try await client.save([record]) }
            let ended = TestMailbox<Int>()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        let reply = try await client.ask(
                            .recordsQuery, .query("Item", format, with: [.init("desiredKeys", [])]),
                            within: .seconds(60))
                        #expect(reply.status == 200 || reply.body.reasonCode == "query_too_expensive", "\(reply.body)")
                        ended.add(reply.status)
                    }
                }
                var saves = 0
                while ended.elements.isEmpty {
                    try await client.save([.item("s\(saves)")], zone: "Y")
                    saves += 1
                }
                // The last save may have been answered after the query.
                #expect(saves > 1, "a save waited for queries")
                try await group.waitForAll()
            }
        }
    }
}
