import AMQPClient
import AssetTestSupport
import CloudKitModel
import CloudKitWire
import Foundation
import Logging
import PostgresClient
import RequestServing
import ServiceMessages
import SignedTokens
import Testing

@testable import AssetService
@testable import AssetStorage
@testable import BlobStorage

struct AssetsUploadOperationTests {
    static let checksum = String(repeating: "0a", count: 32)
    private static let scope = AssetStack.scope(of: AssetRequests.user)

    /// Returns an operation without database and broker. Only checksums need them.
    static func operation() throws -> (AssetsUploadOperation, SigningKeys) {
        let keys = try SigningKeys(parsing: "test:\(String(repeating: "1", count: 64))", for: .assetUpload)
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let configuration = try AssetServiceConfiguration.test()
        let table = BlobTable(pool: PostgresPool(configuration: configuration.host.postgres, logger: logger))
        let contents = OwnContents(
            keys: keys, table: table,
            receipts: AssetReceipts(
                life: .seconds(1), keys: keys, store: DirectoryBlobStore(root: "/nowhere"), table: table),
            uses: BlobUses(
                client: AMQPRPCClient(configuration: configuration.host.amqp, logger: logger), logger: logger))
        return (
            AssetsUploadOperation(
                publicURL: "https://a.example", life: .seconds(60), keys: keys, contents: contents), keys
        )
    }

    static func answer(_ body: JSONValue) async throws -> Answer {
        _ = try AssetScopes.zone(body["zoneID"])
        return try await operation().0.answer(try AssetRequests.open(.assetsUpload, body), to: scope)
    }

    @Test func everyTokenGetsAURLInItsPlace() async throws {
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
        let tokens = try #require(try await operation.answer(request, to: Self.scope).json["tokens"]?.array)
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

    @Test func oneTokenStandsForAListAndNoneForAnEmptyOne() async throws {
        let one = try await Self.answer(["tokens": ["fieldName": "photo"]])
        #expect(one.json["tokens"]?.array?.count == 1)
        let none = try await Self.answer(["tokens": []])
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
            (["tokens": [["fieldName": "f", "fileChecksum": "x", "size": 1]]], "checksum_invalid", "fileChecksum"),
            (["tokens": [["fieldName": "f", "size": -1]]], "wrong_kind", "size"),
            (["tokens": [["fieldName": "f", "fileChecksum": .string(checksum)]]], "missing_key", "size"),
            (["tokens": [["fieldName": "f", "fileChecksum": .string(checksum), "size": -1]]], "wrong_kind", "size"),
            (
                ["tokens": [["fieldName": "f", "fileChecksum": .string(checksum), "size": 1_000_000_000]]],
                "asset_too_large", "f"
            ),
            (["tokens": [], "zoneID": "z"], "wrong_kind", "zoneID"),
            (["tokens": [], "zoneID": [:]], "missing_key", "zoneName"),
            (["tokens": [], "zoneID": ["zoneName": ""]], "zone_name_empty", "zoneName"),
        ] as [(JSONValue, String, String)])
    func whatIsAtFaultIsNamed(body: JSONValue, reasonCode: String, field: String) async {
        let error = await #expect(throws: ServerError.self) { try await Self.answer(body) }
        #expect(error?.reasonCode == reasonCode && error?.field == field)
    }

    @Test func tokensHaveALimit() async throws {
        let body: JSONValue = ["tokens": .array(Array(repeating: ["fieldName": "f"], count: 201))]
        let error = await #expect(throws: ServerError.self) { try await Self.answer(body) }
        #expect(error?.limit == 200 && error?.actual == 201 && error?.field == "tokens")
    }
}
