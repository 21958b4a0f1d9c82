import CloudKitModel
import CloudKitWire
import PostgresClient
import RequestServing
import ServiceMessages
import SignedTokens
import TestSupport
import Testing

@testable import AssetService
@testable import AssetStorage
@testable import BlobStorage

@Suite(.enabled(if: TestEnvironment.current != nil, "\(TestEnvironment.absence)"), .timeLimit(.minutes(2)))
struct AssetOperationTests {
    @Test func aPutsBodyIsTheAsset() async throws {
        try await AssetStack.with { stack in
            let body = Array("not { JSON".utf8)
            let answer = try #require(
                await stack.parts.operations.answer(try AssetRequests.open(.assetsPut, body)))
            #expect(answer.status == 200)
            let file = try #require(answer.json["singleFile"])
            let receipt = try #require(
                AssetReceipt(opening: file["receipt"]?.string ?? "", with: stack.configuration.receiptKeys))
            #expect(receipt.scope.owner == AssetRequests.user && receipt.size == Int64(body.count))
            let row = try #require(try await stack.table.find(receipt.checksum, in: AssetStack.container))
            let text = try await stack.text(row.key)
            #expect(text == "not { JSON")
        }
    }

    @Test func operatorsSeeWhatIsKnownOfAContent() async throws {
        try await AssetStack.with { stack in
            let asset = try await stack.upload("bytes")
            let row = try #require(try await stack.row(asset))
            for checksum in [asset.content.checksum.hex, asset.content.checksum.fileChecksum] {
                let stat = try await Self.stat(stack, checksum)
                #expect(stat.json["checksum"] == .string(asset.content.checksum.hex))
                #expect(stat.json["fileChecksum"] == .string(asset.content.checksum.fileChecksum))
                #expect(stat.json["blob"] == .int(row.id.rawValue) && stat.json["size"] == 5)
                #expect(stat.json["state"] == "live" && stat.json["isStored"] == true)
                #expect(stat.json["createdAt"] == .int(row.createdAt))
                #expect(stat.json["receiptUntil"] == .int(row.receiptUntil))
                #expect(stat.json["due"] == nil)
            }
            try await stack.store.remove(row.key)
            let lost = try await Self.stat(stack, asset.content.checksum.hex)
            #expect(lost.json["isStored"] == false)
            let unknown = try await Self.stat(stack, BlobTableTests.checksum.hex)
            #expect(unknown.status == 404 && unknown.json["reasonCode"] == "asset_not_found")
            #expect(unknown.json["field"] == "checksum")
            let malformed = try await Self.stat(stack, "abc")
            #expect(malformed.status == 400 && malformed.json["field"] == "checksum")
        }
    }

    @Test func operatorsSeeWhatIsGoingToBeDeleted() async throws {
        try await AssetStack.with { stack in
            var checksums: [JSONValue] = []
            for (text, grace) in [("late", 60), ("early", 30)] {
                let row = try #require(try await stack.row(try await stack.upload(text)))
                try await stack.expireReceipts()
                let condemned = try await stack.table.condemn([row.id], grace: .seconds(grace))
                checksums.insert(.string(condemned[0].checksum.hex), at: 0)
            }
            let jobs = try await Self.ask(stack, .assetsJobs, [:])
            #expect(jobs.json["jobs"]?.array?.map { $0["checksum"] } == checksums)
            #expect(jobs.json["total"] == 2)
            let first = try #require(jobs.json["jobs"]?[0])
            #expect((first["due"]?.int ?? 0) - (first["condemnedAt"]?.int ?? 0) == 30_000)
            let one = try await Self.ask(
                stack, .assetsJobs, ["container": .string(AssetStack.container), "limit": 1])
            #expect(one.json["jobs"]?.array?.count == 1 && one.json["total"] == 2)
            let stat = try await Self.stat(stack, checksums[0].string ?? "")
            #expect(stat.json["state"] == "condemned" && stat.json["due"] == first["due"])
            let others = try await Self.ask(stack, .assetsJobs, ["container": "other"])
            #expect(others.json["jobs"] == [] && others.json["total"] == 0)
        }
    }

    static func stat(_ stack: AssetStack, _ checksum: String) async throws -> Answer {
        try await ask(
            stack, .assetsStat, ["container": .string(AssetStack.container), "checksum": .string(checksum)])
    }

    static func ask(
        _ stack: AssetStack, _ operation: ServiceMessages.Operation, _ body: JSONValue
    ) async throws -> Answer {
        try #require(await stack.parts.operations.answer(try AssetRequests.open(operation, body)))
    }
}
