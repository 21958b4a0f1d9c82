import CloudKitModel
import CloudKitWire
import Testing

struct OtherRequestsTests {
    private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    @Test(arguments: [
        #"{"records":[{"recordName":"n","recordType":"x"}]}"#, #"{"records":{"recordName":"n","desiredKeys":null}}"#,
    ])
    func lookupTakesAnArrayOrOneObject(body: String) throws {
        #expect(try LookupRecordsRequest(decoding: bytes(body)).records == [.init(recordName: "n")])
    }

    @Test func lookupReadsEveryKey() throws {
        let request = try LookupRecordsRequest(
            decoding: bytes(
                #"{"records":[{"recordName":"a","desiredKeys":["x"]},{"recordName":"b"}],"zoneID":{"zoneName":"z"},"desiredKeys":[],"numberAsStrings":true}"#
            ))
        #expect(request.records == [.init(recordName: "a", desiredKeys: ["x"]), .init(recordName: "b")])
        #expect(request.zoneID?.zoneName.rawValue == "z")
        #expect(request.desiredKeys == [])
        #expect(request.numbersAsStrings)
        #expect(try LookupRecordsRequest(decoding: bytes(written { $0.lookupRecords(request) })) == request)
    }

    @Test func zoneChangesTakeTheirDefaultsFromTheTop() throws {
        let request = try ZoneChangesRequest(
            decoding: bytes(
                #"""
                {"zones":[{"zoneID":{"zoneName":"a"},"syncToken":"AQ==","resultsLimit":5,"reverse":false,"numbersAsStrings":null},
                          {"zoneID":{"zoneName":"b"},"desiredKeys":[],"desiredRecordTypes":["T"]}],
                 "resultsLimit":50,"desiredKeys":["k"],"reverse":true,"numbersAsStrings":true}
                """#))
        #expect(
            request.zones == [
                ZoneChangesQuery(
                    zoneID: ZoneID(zoneName: ZoneName(unchecked: "a")), syncToken: "AQ==", desiredKeys: ["k"],
                    resultsLimit: 5, reverse: false, numbersAsStrings: true),
                ZoneChangesQuery(
                    zoneID: ZoneID(zoneName: ZoneName(unchecked: "b")), desiredKeys: [], desiredRecordTypes: ["T"],
                    resultsLimit: 50, reverse: true, numbersAsStrings: true),
            ])
        #expect(try ZoneChangesRequest(decoding: bytes(written { $0.zoneChanges(request) })) == request)
    }

    @Test func zoneChangesTakeOneObjectForAnArray() throws {
        let request = try ZoneChangesRequest(
            decoding: bytes(#"{"zones":{"zoneID":{"zoneName":"a"},"resultsLimit":0}}"#))
        #expect(request.zones.map(\.resultsLimit) == [nil])
    }

    @Test(arguments: [
        ("{}", "zones"), (#"{"zones":[{}]}"#, "zoneID"), (#"{"zones":[1]}"#, "zones"),
        (#"{"zones":[{"zoneID":{"zoneName":"a"},"resultsLimit":-1}]}"#, "resultsLimit"),
        (#"{"zones":[{"zoneID":{"zoneName":"a"},"resultsLimit":1.5}]}"#, "resultsLimit"),
        (#"{"zones":[{"zoneID":{"zoneName":"a"},"syncToken":5}]}"#, "syncToken"),
        (#"{"zones":[{"zoneID":{"zoneName":"a"},"desiredKeys":[null]}]}"#, "desiredKeys"),
    ])
    func badZoneChangesNameTheKey(body: String, key: String) {
        #expect(serverError { () throws(ServerError) in try ZoneChangesRequest(decoding: bytes(body)) }?.field == key)
    }

    @Test func recordChangesAreOneZonesChanges() throws {
        let request = try RecordChangesRequest(decoding: bytes(#"{"zoneID":{"zoneName":"z"},"syncToken":"AQ=="}"#))
        #expect(
            request.query == ZoneChangesQuery(zoneID: ZoneID(zoneName: ZoneName(unchecked: "z")), syncToken: "AQ=="))
        #expect(try RecordChangesRequest(decoding: []).query.zoneID.isDefault)
    }

    @Test func databaseChangesNeedNoBody() throws {
        #expect(try DatabaseChangesRequest(decoding: []) == DatabaseChangesRequest())
        let body = #"{"syncToken":"a","metaSyncToken":"b","resultsLimit":3}"#
        let request = try DatabaseChangesRequest(decoding: bytes(body))
        #expect((request.syncToken, request.metaSyncToken, request.resultsLimit) == ("a", "b", 3))
        #expect(try DatabaseChangesRequest(decoding: bytes(written { $0.databaseChanges(request) })) == request)
    }

    @Test func zoneOperationsAtFaultLeaveTheOthersAlone() throws {
        let request = try ModifyZonesRequest(
            decoding: bytes(
                #"""
                {"operations":[{"operationType":"create","zone":{"zoneID":{"zoneName":"Drafts"}}},
                 {"operationType":"delete","zone":{"zoneID":{"zoneName":"Old","zoneType":"DEFAULT_ZONE"},"atomic":true}},
                 {"operationType":"create","zone":{"zoneID":{"zoneName":"_bad"}}},
                 {"operationType":"rename","zone":{"zoneID":{"zoneName":"x"}}}]}
                """#))
        #expect(request.operations.map(\.kind) == [.create, .delete, .create, .other("rename")])
        #expect(
            request.operations.map { $0.error?.reasonCode } == [nil, nil, "zone_name_reserved", "unknown_operation"])
        #expect(request.operations[2].error?.zoneID?.zoneName.rawValue == "_bad")
        #expect(try ModifyZonesRequest(decoding: bytes(written { $0.modifyZones(request) })) == request)
    }

    @Test func zonesAreLookedUpByBareIdentities() throws {
        let request = try LookupZonesRequest(
            decoding: bytes(#"{"zones":[{"zoneName":"a"},{"zoneName":"b","ownerRecordName":"_o"}]}"#))
        #expect(request.zones.map(\.description) == ["a", "_o/b"])
        #expect(try LookupZonesRequest(decoding: bytes(written { $0.lookupZones(request) })) == request)
        #expect(
            serverError { () throws(ServerError) in try LookupZonesRequest(decoding: bytes("{}")) }?.field == "zones")
    }
}
