import CloudKitModel
import CloudKitWire
import Foundation
import RequestServing
import ServiceMessages
import SignedTokens
import Testing

@testable import AssetService

struct AssetsUploadOperationTests {
    static func operation() throws -> (AssetsUploadOperation, SigningKeys) {
        let keys = try SigningKeys(parsing: "test:\(String(repeating: "1", count: 64))", for: .assetUpload)
        return (AssetsUploadOperation(publicURL: "https://a.example", life: .seconds(60), keys: keys), keys)
    }

    static func answer(_ body: JSONValue) throws -> Answer {
        try operation().0.answer(try AssetRequests.open(.assetsUpload, body))
    }

    @Test func everyTokenGetsAURLInItsPlace() throws {
        let (operation, keys) = try Self.operation()
        let request = try AssetRequests.open(
            .assetsUpload,
            [
                "zoneID": ["zoneName": "Notes", "ownerRecordName": nil],
                "tokens": [
                    ["recordType": "Note", "fieldName": "photo"],
                    ["recordName": "n-1", "fieldName": "scan", "recordType": nil],
                ],
            ])
        let tokens = try #require(try operation.answer(request).json["tokens"]?.array)
        #expect(tokens.map { $0["fieldName"] } == ["photo", "scan"])
        #expect(tokens[1]["recordName"] == "n-1")
        #expect(UUID(uuidString: tokens[0]["recordName"]?.string ?? "") != nil)
        for (token, field) in zip(tokens, ["photo", "scan"]) {
            let url = try #require(token["url"]?.string)
            #expect(url.hasPrefix("https://a.example/upload/") && !url.contains("%"))
            let ticket = try #require(AssetUploadTicket(opening: url.split(separator: "/").last ?? "", with: keys))
            #expect(ticket.fieldName == field)
            #expect(ticket.scope.owner == AssetRequests.user && ticket.scope.container == AssetStack.container)
            #expect((1...60_000).contains(ticket.expiresAt - SystemClock.milliseconds()))
        }
    }

    @Test func oneTokenStandsForAListAndNoneForAnEmptyOne() throws {
        let one = try Self.answer(["tokens": ["fieldName": "photo"]])
        #expect(one.json["tokens"]?.array?.count == 1)
        let none = try Self.answer(["tokens": []])
        #expect(none.json["tokens"] == [])
    }

    @Test(
        arguments: [
            ([:], "missing_key", "tokens"), (["tokens": nil], "missing_key", "tokens"),
            (["tokens": "photo"], "wrong_kind", "tokens"), (["tokens": ["photo"]], "wrong_kind", "tokens"),
            (["tokens": [["recordType": "T"]]], "missing_key", "fieldName"),
            (["tokens": [["fieldName": 1]]], "wrong_kind", "fieldName"),
            (["tokens": [["fieldName": "9"]]], "field_name_invalid", "fieldName"),
            (["tokens": [["fieldName": "recordName"]]], "field_name_reserved", "fieldName"),
            (["tokens": [["fieldName": "f", "recordType": "a b"]]], "record_type_invalid", "recordType"),
            (["tokens": [["fieldName": "f", "recordName": "_x"]]], "record_name_reserved", "recordName"),
            (["tokens": [], "zoneID": "z"], "wrong_kind", "zoneID"),
            (["tokens": [], "zoneID": [:]], "missing_key", "zoneName"),
            (["tokens": [], "zoneID": ["zoneName": ""]], "zone_name_empty", "zoneName"),
        ] as [(JSONValue, String, String)])
    func whatIsAtFaultIsNamed(body: JSONValue, reasonCode: String, field: String) {
        let error = #expect(throws: ServerError.self) { try Self.answer(body) }
        #expect(error?.reasonCode == reasonCode && error?.field == field)
    }

    @Test func tokensHaveALimit() throws {
        let body: JSONValue = ["tokens": .array(Array(repeating: ["fieldName": "f"], count: 201))]
        let error = #expect(throws: ServerError.self) { try Self.answer(body) }
        #expect(error?.limit == 200 && error?.actual == 201 && error?.field == "tokens")
    }
}
