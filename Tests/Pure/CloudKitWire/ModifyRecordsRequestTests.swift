import CloudKitModel
import CloudKitWire
import Testing

struct ModifyRecordsRequestTests {
    private func decode(_ body: String) throws(ServerError) -> ModifyRecordsRequest {
        try ModifyRecordsRequest(decoding: Array(body.utf8))
    }

    @Test func theDocumentedExampleIsRead() throws {
        let request = try decode(
            #"""
            { "atomic": false, "zoneID": {"zoneName":"Drafts"},
              "operations": [
                {"operationType":"create","record":{"recordType":"Note","fields":{"title":{"value":"A"},"due":{"value":1768500000000,"type":"TIMESTAMP"}}}},
                {"operationType":"update","record":{"recordName":"n-1","recordChangeTag":"mk3pzz9a","fields":{"title":{"value":"B"},"body":{"value":null}}}},
                {"operationType":"forceDelete","record":{"recordName":"n-2"}} ] }
            """#)
        #expect(request.atomic == false)
        #expect(request.zoneID == ZoneID(zoneName: ZoneName(unchecked: "Drafts")))
        #expect(!request.numbersAsStrings)
        #expect(request.operations.map(\.kind) == [.create, .update, .forceDelete])
        #expect(request.operations.allSatisfy { $0.error == nil })
        #expect(
            request.operations[0].record.fields == [
                WireField(name: "title", value: .string("A")),
                WireField(name: "due", value: .timestamp(1_768_500_000_000), declaredType: .timestamp),
            ])
        #expect(request.operations[1].record.recordChangeTag == "mk3pzz9a")
        #expect(request.operations[1].record.fields[1] == WireField(name: "body", value: nil))
        #expect(request.operations[2].record.recordName == "n-2")
    }

    @Test func nullsUnknownKeysAndWholeRecordsAreTolerated() throws {
        let request = try decode(
            #"""
            {"atomic":null,"zoneID":null,"desiredKeys":null,"numbersAsStrings":null,"futureKey":[{"a":[]}],
             "operations":{"operationType":"forceReplace","desiredKeys":null,"numbersAsStrings":null,"record":{
               "recordName":"n","recordType":"Note","recordChangeTag":null,"created":null,"modified":{"timestamp":1},
               "pluginFields":{},"zoneID":{"zoneName":"_defaultZone","zoneType":"DEFAULT_ZONE"},"deleted":false,
               "share":null,"fields":null,"createShortGUID":true,"shortGUID":"x"}}}
            """#)
        #expect(request.operations.count == 1)
        #expect(request.operations[0].error == nil)
        #expect(request.operations[0].record == WireRecord(recordName: "n", recordType: "Note", createShortGUID: true))
        #expect(request.zoneID == nil)
    }

    @Test(arguments: [
        (#""parent":null"#, WireRecord.ParentChange.clear), (#""parent":{}"#, .clear), (#""x":1"#, .absent),
        (#""parent":{"recordName":"p","action":"NONE","zoneID":{"zoneName":"z"}}"#, .set("p")),
    ])
    func parentsAreSetClearedOrLeft(member: String, parent: WireRecord.ParentChange) throws {
        let request = try decode(#"{"operations":[{"operationType":"update","record":{"recordName":"n",\#(member)}}]}"#)
        #expect(request.operations[0].record.parent == parent)
    }

    @Test func desiredKeysAreTakenFromAllThreeLevels() throws {
        let request = try decode(
            #"""
            {"desiredKeys":["a","a"],"numberAsStrings":true,"operations":[
              {"operationType":"delete","desiredKeys":["b"],"numbersAsStrings":false,"record":{"recordName":"n","desiredKeys":["c"]}},
              {"operationType":"delete","record":{"recordName":"n","desiredKeys":["c"]},"desiredKeys":["b"]},
              {"operationType":"delete","record":{"recordName":"n","desiredKeys":[]}},
              {"operationType":"delete","record":{"recordName":"n"}}]}
            """#)
        #expect(request.desiredKeys == ["a", "a"])
        #expect(request.numbersAsStrings)
        #expect(request.operations.map(\.desiredKeys) == [["b"], ["b"], [], nil])
        #expect(request.operations[0].numbersAsStrings == false)
    }

    @Test(arguments: ["__defaultOwner__", "_defaultOwner", ""])
    func placeholdersForTheOwnerMeanTheCaller(owner: String) throws {
        let request = try decode(#"{"zoneID":{"zoneName":"z","ownerRecordName":"\#(owner)"},"operations":[]}"#)
        #expect(request.zoneID == ZoneID(zoneName: ZoneName(unchecked: "z")))
        #expect(request.operations.isEmpty)
    }

    @Test(arguments: [
        (#"{"record":{"recordName":"n"}}"#, "missing_key", "operationType"),
        (#"{"operationType":"upsert","record":{"recordName":"n"}}"#, "unknown_operation", "operationType"),
        (#"{"operationType":7,"record":{"recordName":"n"}}"#, "wrong_kind", "operationType"),
        (#"{"operationType":"create"}"#, "missing_key", "record"),
        (#"{"operationType":"create","record":null}"#, "missing_key", "record"),
        (#"{"operationType":"create","record":{"recordName":"n"}}"#, "missing_key", "recordType"),
        (#"{"operationType":"update","record":{"recordType":"T"}}"#, "missing_key", "recordName"),
        (#"{"operationType":"create","record":{"recordName":"","recordType":"T"}}"#, "record_name_empty", "recordName"),
        (
            #"{"operationType":"create","record":{"recordName":"_n","recordType":"T"}}"#, "record_name_reserved",
            "recordName"
        ),
        (
            #"{"operationType":"forceUpdate","record":{"recordName":"_n","recordType":"T"}}"#, "record_name_reserved",
            "recordName"
        ),
        (
            #"{"operationType":"create","record":{"recordName":"n","recordType":"no good"}}"#, "record_type_not_found",
            "recordType"
        ),
        (
            #"{"operationType":"create","record":{"recordType":"cloudkit.share","forRecord":{"recordName":"_n"}}}"#,
            "record_name_reserved", "forRecord.recordName"
        ),
        (
            #"{"operationType":"create","record":{"recordType":"cloudkit.share","forRecord":{"recordName":""}}}"#,
            "record_name_empty", "forRecord.recordName"
        ),
        (#"{"operationType":"delete","record":{"recordName":"a\u0000"}}"#, "nul_in_string", "recordName"),
        (#"{"operationType":"delete","record":{"recordName":5}}"#, "wrong_kind", "recordName"),
        (#"{"operationType":"delete","desiredKeys":[1],"record":{"recordName":"n"}}"#, "wrong_kind", "desiredKeys"),
        ("7", "wrong_kind", "operations"), ("null", "wrong_kind", "operations"),
    ])
    func aFaultOfOneOperationLeavesTheOthersAlone(operation: String, code: String, field: String) throws {
        let good = #"{"operationType":"delete","record":{"recordName":"good"}}"#
        let request = try decode(#"{"operations":[\#(good),\#(operation),\#(good)]}"#)
        #expect(request.operations.map { $0.error?.reasonCode } == [nil, code, nil])
        #expect(request.operations[1].error?.field == field)
        #expect(request.operations[2].record.recordName == "good")
    }

    @Test func anOperationAtFaultKeepsItsNameAndKindWhereverTheyStand() throws {
        let request = try decode(
            #"""
            {"operations":[{"record":{"fields":{"f":{"value":"\u0000"},"g":{"value":[{"x":[]}]}},"recordName":"late"},"operationType":"replace"}]}
            """#)
        #expect(request.operations[0].kind == .replace)
        #expect(request.operations[0].record == WireRecord(recordName: "late"))
        #expect(request.operations[0].error?.recordName == "late")
        #expect(request.operations[0].error?.field == "f")
    }

    @Test(arguments: [
        ("{}", "missing_key", "operations"), ("", "missing_key", "operations"),
        (#"{"operations":7}"#, "wrong_kind", "operations"), (#"{"operations":[],"atomic":1}"#, "wrong_kind", "atomic"),
        (#"{"operations":[],"zoneID":"z"}"#, "wrong_kind", "zoneID"),
        (#"{"operations":[],"zoneID":{}}"#, "missing_key", "zoneName"),
        (#"{"operations":[],"zoneID":{"zoneName":"\u0000"}}"#, "nul_in_string", "zoneName"),
    ])
    func aFaultOfTheBodyFailsTheRequest(body: String, code: String, field: String) {
        let error = serverError { () throws(ServerError) in try decode(body) }
        #expect(error?.code == .badRequest)
        #expect(error?.reasonCode == code)
        #expect(error?.field == field)
    }

    @Test func tooManyOperationsAreCountedAndRefused() {
        var limits = Limits()
        limits.maxOperationsPerRequest = 3
        let body = Array(#"{"operations":[{},{},{},{},{}]}"#.utf8)
        let error = serverError { () throws(ServerError) in try ModifyRecordsRequest(decoding: body, limits: limits) }
        #expect(error == .tooMany("operations", limit: 3, actual: 5))
        #expect(error?.ckErrorCode == 27)
    }

    @Test func whatAClientWritesIsWhatTheServerReads() throws {
        let request = try decode(
            #"""
            {"operations":[{"operationType":"update","record":{"recordName":"n","recordType":"T","recordChangeTag":"t","parent":null,
              "fields":{"a":{"value":1,"type":"DOUBLE"},"b":{},"c":{"value":[],"type":"STRING_LIST","isEncrypted":true}}},"desiredKeys":[]}],
             "zoneID":{"zoneName":"z","ownerRecordName":"_o"},"atomic":true,"desiredKeys":["a"],"numbersAsStrings":true}
            """#)
        #expect(try decode(written { $0.modifyRecords(request) }) == request)
    }
}
