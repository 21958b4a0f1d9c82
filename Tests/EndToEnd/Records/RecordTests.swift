import AMQPClient
import CloudKitWire
import ServiceMessages
import TestSupport
import Testing

extension EndToEndTests {
    @Suite(.sharedStack, .timeLimit(.minutes(2))) struct RecordTests {
        @Test func everyFieldTypeComesBackAsItWasSaved() async throws {
            let client = try SharedStack.current.client()
            try await client.zones("create", "Notes")
            let fields: JSONValue = [
                "text": ["value": "Grüße \u{1F600} \"\\\n", "type": "STRING"],
                "whole": ["value": .int(.max), "type": "INT64"],
                "number": ["value": 0.1, "type": "DOUBLE"],
                "tiny": ["value": .double(.leastNonzeroMagnitude), "type": "DOUBLE"],
                "at": ["value": -1, "type": "TIMESTAMP"],
                "bytes": ["value": "AAEC/w==", "type": "BYTES"],
                "reference": ["value": ["recordName": "other", "action": "NONE"], "type": "REFERENCE"],
                "place": ["value": ["latitude": 52.5, "longitude": 13.25], "type": "LOCATION"],
                "texts": ["value": ["b", "a", ""], "type": "STRING_LIST"],
                "wholes": ["value": [3, 1, 2], "type": "INT64_LIST"],
                "empty": ["value": [], "type": "STRING_LIST"],
            ]
            let saved = try await client.ask(
                .recordsModify,
                .modify(
                    "Notes",
                    [
                        [
                            "operationType": "create",
                            "record": ["recordName": "a", "recordType": "Everything", "fields": fields],
                        ]
                    ]))
            #expect(saved["records"]?[0]?.errorCode == nil)
            let read = try await client.record("Notes", "a")
            for member in try #require(fields.members) {
                let field = try #require(read["fields"]?[member.key], "\(member.key)")
                #expect(field["type"] == member.value["type"])
                if member.key == "reference" {
                    #expect(field["value"]?["recordName"] == "other")
                } else if member.key == "place" {
                    #expect(field["value"]?["latitude"]?.double == 52.5)
                    #expect(field["value"]?["longitude"]?.double == 13.25)
                } else {
                    #expect(field["value"] == member.value["value"])
                }
            }
            #expect(read["fields"]?.members?.count == fields.members?.count)
        }

        @Test func savedRecordCarriesWhatClientsRelyOn() async throws {
            let client = try SharedStack.current.client().with(Header.client, "device-7")
            try await client.zones("create", "Notes")
            let record = try await client.save("Notes", "a", ["n": 1])
            #expect(record["recordName"] == "a")
            #expect(record["recordType"] == "Note")
            #expect(record["deleted"] == false)
            #expect(record["pluginFields"] == [:])
            #expect(record["zoneID"]?["zoneName"] == "Notes")
            for stamp in ["created", "modified"] {
                #expect(record[stamp]?["userRecordName"]?.string == client.user)
                #expect(record[stamp]?["deviceID"] == "device-7")
                #expect((record[stamp]?["timestamp"]?.int ?? 0) > 1_700_000_000_000)
            }
        }

        @Test func clearedFieldIsGone() async throws {
            let client = try SharedStack.current.client()
            try await client.zones("create", "Notes")
            try await client.save("Notes", "a", ["n": 1, "m": 2])
            let reply = try await client.modify("Notes", .operation("forceUpdate", "a", ["n": nil]))
            #expect(reply["records"]?[0]?.values == ["m": 2])
        }

        @Test func createWithoutANameGetsOne() async throws {
            let client = try SharedStack.current.client()
            try await client.zones("create", "Notes")
            let reply = try await client.modify(
                "Notes", .operation("create", nil, ["n": 1]), .operation("create", nil, ["n": 2]))
            let names = reply.body.recordNames
            #expect(Set(names).count == 2)
            #expect(try await client.record("Notes", names[1]).values == ["n": 2])
        }

        @Test func atomicBatchWithOneConflictSavesNothing() async throws {
            let client = try SharedStack.current.client()
            try await client.zones("create", "Notes")
            let stale = try await client.save("Notes", "old", ["n": 1])
            try await client.save("Notes", "old", ["n": 2])
            let reply = try await client.modify(
                "Notes", .operation("create", "new", ["n": 3]),
                .operation("update", "old", ["n": 4], tag: stale.changeTag), atomic: true)
            #expect(reply.status == 400)
            #expect(reply.body.errorCode == "ATOMIC_ERROR")
            #expect(reply["ckErrorCode"] == 22)
            #expect(reply["records"]?.array?.map(\.errorCode) == ["ATOMIC_ERROR", "CONFLICT"])
            #expect(reply["records"]?[1]?["ckErrorCode"] == 14)
            #expect(reply["records"]?[1]?["serverRecord"]?.values == ["n": 2])
            #expect(try await client.record("Notes", "new").errorCode == "NOT_FOUND")
            #expect(try await client.record("Notes", "old").values == ["n": 2])
        }

        @Test func customZoneIsAtomicUnlessSaidOtherwiseAndDefaultZoneIsNot() async throws {
            let client = try SharedStack.current.client()
            try await client.zones("create", "Notes")
            for (zone, status) in [("Notes", 400), ("_defaultZone", 200)] {
                let reply = try await client.ask(
                    .recordsModify,
                    .modify(
                        zone, [.operation("create", "new", ["n": 1]), .operation("update", "missing", ["n": 1])],
                        atomic: nil))
                #expect(reply.status == status)
                #expect(try await client.record(zone, "new").errorCode == (status == 200 ? nil : "NOT_FOUND"))
            }
        }

        @Test func lookupAnswersInTheOrderAsked() async throws {
            let client = try SharedStack.current.client()
            try await client.zones("create", "Notes")
            try await client.save("Notes", "a", ["n": 1, "m": 1])
            try await client.save("Notes", "b", ["n": 2, "m": 2])
            let reply = try await client.ask(
                .recordsLookup,
                [
                    "zoneID": .zone("Notes"), "desiredKeys": ["m"],
                    "records": [
                        ["recordName": "b"], ["recordName": "missing"], ["recordName": "a", "desiredKeys": ["n"]],
                    ],
                ])
            #expect(reply.status == 200)
            #expect(reply.body.recordNames == ["b", "missing", "a"])
            #expect(reply["records"]?[0]?.values == ["m": 2])
            #expect(reply["records"]?[1]?.errorCode == "NOT_FOUND")
            #expect(reply["records"]?[2]?.values == ["n": 1])
        }

        @Test func twoHundredRecordsOfOneMessageAreSavedInOrder() async throws {
            let client = try SharedStack.current.client()
            try await client.zones("create", "Notes")
            let names = (0..<200).map { "r\($0)" }
            let reply = try await client.ask(
                .recordsModify, .modify("Notes", names.map { .operation("create", $0, ["n": 1]) }, atomic: true))
            #expect(reply.status == 200)
            #expect(reply.body.recordNames == names)
            #expect(try await client.changes("Notes").recordNames == names)
        }
    }
}
