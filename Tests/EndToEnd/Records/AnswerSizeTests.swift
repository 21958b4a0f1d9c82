import AMQPClient
import CloudKitWire
import ServiceMessages
import TestSupport
import Testing

extension EndToEndTests {
    /// The body of an answer never exceeds the maximum size of a message, regardless of the request.
    @Suite(.timeLimit(.minutes(4))) struct AnswerSizeTests {
        @Test func aLookUpThatNamesALargeRecordAThousandTimesIsAnsweredWithAsManyAsFit() async throws {
            try await ServiceStack.with { stack in
                let service = try await stack.startService(.record)
                let (client, neighbour) = (stack.client(), stack.client())
                _ = try await client.ask(.containersCreate, ["container": .string(client.container)])
                for user in [client, neighbour] { try await user.zones("create", "Notes") }
                try await client.save("Notes", "big", ["t": .string(String(repeating: "a", count: 1_000_000))])
                let before = try await service.peakMemory()
                let names = [JSONValue](repeating: ["recordName": "big"], count: 1000)
                let request = client.message(
                    .recordsLookup, (["zoneID": .zone("Notes"), "records": .array(names)] as JSONValue).encoded())
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<4 {
                        group.addTask {
                            let reply = try await client.rpc.call(request, timeout: .seconds(60))
                            #expect(reply.properties.headers.int64(Header.status) == 200)
                            #expect((8_000_000...(16 << 20)).contains(reply.body.count), "\(reply.body.count)")
                            #expect(
                                String(decoding: reply.body.suffix(2000), as: UTF8.self).contains("reply_too_large"))
                        }
                    }
                    group.addTask {
                        for number in 0..<20 { try await neighbour.save("Notes", "a", ["n": .int(Int64(number))]) }
                    }
                    try await group.waitForAll()
                }
                let grown = (try await service.peakMemory() - before) / 1_048_576
                print("four look-ups of 1,000 MB took \(grown) MiB")
                #expect(grown < 400)
            }
        }

        /// An answer may have 2 MiB. A string of control characters takes six times as many bytes in JSON as it counts
        /// for the limit.
        private static let settings = ["ZONDA_AMQP_MAX_MESSAGE": "2097152", "ZONDA_LIMIT_BODY_BYTES": "1048576"]
        private static let text = JSONValue.string(String(repeating: "\u{1}", count: 120_000))

        private func withSmallAnswers(_ body: (TestClient) async throws -> Void) async throws {
            try await ServiceStack.with { stack in
                try await stack.startService(.record, Self.settings)
                let client = stack.client()
                _ = try await client.ask(.containersCreate, ["container": .string(client.container)])
                try await client.zones("create", "Notes")
                try await body(client)
            }
        }

        @Test func pagesEndAtTheByteLimitAndAWalkMeetsEveryRecordOnce() async throws {
            try await withSmallAnswers { client in
                let names = (0..<7).map { "c\($0)" }
                for name in names { try await client.save("Notes", name, ["t": Self.text]) }
                var (met, pages, token): ([String], Int, String?) = ([], 0, nil)
                while true {
                    let page = try await client.changes("Notes", since: token)
                    met += page.recordNames
                    pages += 1
                    token = page.syncToken
                    guard page["moreComing"] == true else { break }
                }
                #expect(met == names)
                #expect(pages == 4)

                let zones = try await client.ask(
                    .changesZone, ["zones": .array((0..<3).map { _ in ["zoneID": .zone("Notes")] })])
                #expect(zones["zones"]?.array?.map { $0.recordNames.count } == [2, 0, 0])
                #expect(zones["zones"]?.array?.map { $0["moreComing"] == true } == [true, true, true])

                var marker: JSONValue = nil
                met = []
                repeat {
                    let page = try await client.ask(
                        .recordsQuery,
                        [
                            "zoneID": .zone("Notes"), "continuationMarker": marker,
                            "query": ["recordType": "Note"],
                        ])
                    #expect(page.status == 200)
                    met += page.body.recordNames
                    marker = page["continuationMarker"] ?? nil
                } while !marker.isNull
                #expect(met == names)

                let found = try await client.ask(
                    .recordsLookup,
                    ["zoneID": .zone("Notes"), "records": .array(names.map { ["recordName": .string($0)] })])
                #expect(found["records"]?.array?.count { $0["fields"] != nil } == 2)
                #expect(found["records"]?.array?.count { $0.reasonCode == "reply_too_large" } == 5)
            }
        }

        @Test func aCommittedWriteWithALargeAnswerLeavesFieldsOutAndSaysSo() async throws {
            try await withSmallAnswers { client in
                let names = (0..<4).map { "c\($0)" }
                for name in names { try await client.save("Notes", name, ["t": Self.text]) }
                let reply = try await client.ask(
                    .recordsModify, .modify("Notes", names.map { .operation("forceUpdate", $0, ["n": 1]) }),
                    messageID: "m-\(client.user)")
                #expect(reply.status == 200)
                let records = try #require(reply["records"]?.array)
                #expect(records.map { $0["fieldsOmitted"] == true } == [false, false, true, true])
                #expect(records.map(\.values.count) == [2, 2, 0, 0])
                #expect(records.allSatisfy { $0.changeTag != nil && $0["recordType"] == "Note" })
                let again = try await client.ask(
                    .recordsModify, .modify("Notes", names.map { .operation("forceUpdate", $0, ["n": 1]) }),
                    messageID: "m-\(client.user)")
                #expect(again == reply)
                let tags = names.map { JSONValue.operation("update", $0, ["n": 2], tag: "0") }
                let stale = try await client.ask(.recordsModify, .modify("Notes", tags))
                let kept = try #require(stale["records"]?.array)
                #expect(kept.map(\.errorCode) == ["CONFLICT", "CONFLICT", "CONFLICT", "CONFLICT"])
                #expect(kept.map { $0["serverRecord"]?["fieldsOmitted"] == true } == [false, false, true, true])
            }
        }

        @Test func aRecordThatFitsIntoNoAnswerStopsNoWalk() async throws {
            try await withSmallAnswers { client in
                try await client.save("Notes", "a", ["n": 1])
                for field in ["t", "u", "v"] {
                    let fields = JSONValue.object([JSONValue.Member(field, Self.text)])
                    let reply = try await client.modify("Notes", .operation("forceUpdate", "b", fields))
                    #expect(reply.status == 200)
                }
                try await client.save("Notes", "c", ["n": 1])
                var (met, token, refused): ([String], String?, [String]) = ([], nil, [])
                while true {
                    let page = try await client.changes("Notes", since: token)
                    met += page.recordNames
                    refused += (page["records"]?.array ?? []).compactMap(\.reasonCode)
                    token = page.syncToken
                    guard page["moreComing"] == true else { break }
                }
                #expect(met == ["a", "b", "c"] && refused == ["reply_too_large"])
                #expect(try await client.record("Notes", "b").reasonCode == "reply_too_large")
                let one = try await client.ask(
                    .recordsLookup,
                    ["zoneID": .zone("Notes"), "records": [["recordName": "b", "desiredKeys": ["u"]]]])
                #expect(one["records"]?[0]?.values.keys.sorted() == ["u"])
                var marker: JSONValue = nil
                met = []
                repeat {
                    let page = try await client.ask(
                        .recordsQuery,
                        [
                            "zoneID": .zone("Notes"), "continuationMarker": marker,
                            "query": ["recordType": "Note"],
                        ])
                    #expect(page.status == 200)
                    met += page.body.recordNames
                    marker = page["continuationMarker"] ?? nil
                } while !marker.isNull
                #expect(met == ["a", "b", "c"])
            }
        }
    }
}
