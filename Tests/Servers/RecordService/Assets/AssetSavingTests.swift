import CloudKitModel
import CloudKitWire
import Foundation
import PostgresClient
import RequestServing
import ServiceMessages
import SignedTokens
import Testing

@testable import RecordService
@testable import RecordStorage

/// Assets of records in a real database: the stored values, the answers and the uses of blobs.
@Suite(.enabled(if: RecordDatabase.serverURL != nil), .timeLimit(.minutes(10)))
struct AssetSavingTests {
    private static func grant(_ value: JSONValue?) throws -> AssetDownloadGrant {
        let url = try #require(value?["downloadURL"]?.string)
        #expect(url.hasPrefix("https://assets.example/download/") && url.hasSuffix("/${f}"))
        return try #require(
            AssetDownloadGrant(opening: url.split(separator: "/")[3], with: try RecordDatabase.keys(.assetDownload)))
    }

    @Test func aSavedAssetComesBackWithAnAddressAndNothingOfItsOwn() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            let photo = try await database.upload(1)
            let saved = try await database.write(
                database.request(zone, database.operation("create", "a", ["photo": photo.value])))
            let looked = try await database.ask(
                .recordsLookup, ["zoneID": ["zoneName": "Z"], "records": [["recordName": "a"]]])
            let feed = try await database.ask(.changesZone, ["zones": [["zoneID": ["zoneName": "Z"]]]])
            let checksum = try #require(AssetChecksum(bytes: Array(repeating: 1, count: 32)))
            for answer in [saved.answers[0], looked, try #require(feed["zones"]?[0])] {
                let value = try #require(answer["records"]?[0]?["fields"]?["photo"]?["value"])
                #expect(
                    value.members?.map(\.key) == [
                        "fileChecksum", "size", "referenceChecksum", "wrappingKey", "downloadURL",
                    ])
                #expect(value["fileChecksum"]?.string == checksum.fileChecksum)
                #expect(value["size"] == 5)
                #expect(value["referenceChecksum"]?.string == checksum.referenceChecksum)
                let grant = try Self.grant(value)
                #expect(grant.checksum == checksum && grant.scope == RecordDatabase.scope)
                #expect(grant.expiresAt > SystemClock.milliseconds())
            }
            let uses = try await database.uses()
            #expect(uses == ["a.photo[0]=\(photo.blob)"])
        }
    }

    @Test func aConflictsRecordHasNoAddresses() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            let photo = try await database.upload(1)
            let create = database.operation("create", "a", ["photo": photo.value])
            try await database.write(database.request(zone, create))
            let again = try await database.write(database.request(zone, create)).answers[0]
            let value = again["records"]?[0]?["serverRecord"]?["fields"]?["photo"]?["value"]
            #expect(value?.members?.map(\.key) == ["fileChecksum", "size", "referenceChecksum", "wrappingKey"])
        }
    }

    @Test func unwantedFieldsGetNoAddress() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            let photo = try await database.upload(1)
            try await database.write(
                database.request(zone, database.operation("create", "a", ["photo": photo.value, "n": 1])))
            let looked = try await database.ask(
                .recordsLookup,
                ["zoneID": ["zoneName": "Z"], "records": [["recordName": "a"]], "desiredKeys": ["n"]])
            #expect(looked["records"]?[0]?["fields"]?.members?.map(\.key) == ["n"])
        }
    }

    @Test func usesFollowTheRecord() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            var blobs: [Int64] = []
            var values: [JSONValue] = []
            for content in UInt8(0)..<4 {
                let photo = try await database.upload(content)
                blobs.append(photo.blob)
                values.append(photo.value)
            }
            func after(_ kind: String, _ fields: [String: JSONValue]) async throws -> ([String], [String]) {
                let (answers, events) = try await database.write(
                    database.request(zone, database.operation(kind, "a", fields)))
                #expect(answers[0]["records"]?[0]?["serverErrorCode"] == nil, "\(answers)")
                let dropped = try #require(try events.first?.changedRecords()).flatMap(\.droppedAssets)
                #expect(events[0].dropsAssets == !dropped.isEmpty)
                let contents = dropped.compactMap { AssetChecksum($0)?.bytes.first.map { "\($0)" } }
                return (try await database.uses(), contents)
            }
            let list: JSONValue = .array([values[1], values[2], values[1]])
            var (uses, dropped) = try await after("create", ["cover": values[0], "photos": list])
            let photos = ["a.photos[0]=\(blobs[1])", "a.photos[1]=\(blobs[2])", "a.photos[2]=\(blobs[1])"]
            #expect(uses == ["a.cover[0]=\(blobs[0])"] + photos)
            #expect(dropped == [])
            // A save with another field and with the same cover without its receipt changes no use.
            let kept: JSONValue = ["fileChecksum": values[0]["fileChecksum"] ?? nil]
            (uses, dropped) = try await after("update", ["n": 1, "cover": kept])
            #expect(uses == ["a.cover[0]=\(blobs[0])"] + photos)
            #expect(dropped == [])
            (uses, dropped) = try await after(
                "update", ["cover": values[3], "photos": .array([values[1], values[3]])])
            #expect(
                uses == ["a.cover[0]=\(blobs[3])", "a.photos[0]=\(blobs[1])", "a.photos[1]=\(blobs[3])"])
            #expect(dropped == ["0", "2"])
            (uses, dropped) = try await after("update", ["photos": nil])
            #expect(uses == ["a.cover[0]=\(blobs[3])"])
            #expect(dropped == ["1"])
            (uses, dropped) = try await after("forceReplace", ["n": 2])
            #expect(uses == [])
            #expect(dropped == ["3"])
            _ = try await after("update", ["cover": values[0]])
            (uses, dropped) = try await after("delete", [:])
            #expect(uses == [])
            #expect(dropped == ["0"])
        }
    }

    @Test func aMissingBlobFailsTheOperationsThatNameItAndNoOthers() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            let good = try await database.upload(1)
            let lost = try await database.upload(2, isStored: false)
            let alsoLost = try await database.upload(3, isStored: false)
            let answers = try await database.write(
                database.request(
                    zone, database.operation("create", "a", ["photo": good.value]),
                    database.operation("create", "b", ["photo": lost.value])),
                database.request(
                    zone, database.operation("create", "c", ["photos": .array([good.value, alsoLost.value])])),
                database.request(
                    zone, database.operation("create", "d"), database.operation("create", "e", ["photo": lost.value]),
                    atomic: true),
                database.request(zone, database.operation("create", "f", ["photo": good.value]))
            ).answers
            let codes = answers.map { $0["records"]?.array?.map { $0["reasonCode"]?.string ?? "saved" } }
            #expect(
                codes == [
                    ["saved", "asset_bytes_missing"], ["asset_bytes_missing"],
                    ["atomic_failure", "asset_bytes_missing"], ["saved"],
                ])
            #expect(answers[0]["records"]?[1]?["field"] == "photo")
            #expect(answers[1]["records"]?[0]?["field"] == "photos")
            #expect(answers[1]["records"]?[0]?["reason"]?.string?.contains("photos[1]") == true)
            let uses = try await database.uses()
            #expect(uses == ["a.photo[0]=\(good.blob)", "f.photo[0]=\(good.blob)"])
        }
    }

    @Test func tooManyMissingBlobsAreAnErrorOfTheirOwn() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            var values: [JSONValue] = []
            for content in UInt8(0)..<70 { values.append(try await database.upload(content, isStored: false).value) }
            let operations = values.enumerated().map { database.operation("create", "r\($0)", ["photo": $1]) }
            let request = try database.request(zone, operations)
            let error = await #expect(throws: PostgresError.self) { try await database.write(request) }
            #expect(error?.isOfMissingBlob == true)
            #expect(error?.isOfDeletedContainer == false)
        }
    }

    @Test func aRepeatIsAnsweredWhateverBecameOfItsReceipt() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            let photo = try await database.upload(1)
            let request = try database.request(zone, database.operation("create", "a", ["photo": photo.value]))
            let first = try await database.write(request).answers[0]
            let otherKeys = try SigningKeys(parsing: "k:" + String(repeating: "00", count: 32), for: .assetReceipt)
            let again = try await database.write(request, receiptKeys: otherKeys).answers[0]
            let tag = first["records"]?[0]?["recordChangeTag"]
            #expect(tag != nil && again["records"]?[0]?["recordChangeTag"] == tag)
            // The same holds if the record has changed since.
            try await database.write(database.request(zone, database.operation("forceReplace", "a", ["n": 1])))
            let late = try await database.write(request, receiptKeys: otherKeys).answers[0]
            #expect(late["records"]?[0]?["recordChangeTag"] == tag)
            #expect(late["records"]?[0]?["fields"]?["photo"]?["value"]?["blob"] == nil)
        }
    }

    @Test func usesOfRecordsWhoseFieldsWereNotReadAreMadeAnew() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            let (one, two) = (try await database.upload(1), try await database.upload(2))
            try await database.write(
                database.request(
                    zone, database.operation("create", "big", ["n": 1]),
                    database.operation("create", "a", ["photo": one.value]),
                    database.operation("create", "b", ["photo": one.value])))
            // Pretends that the first record is so large that the others are read without their fields.
            try await database.query("update record.record set size = 9000000 where name = 'big'")
            let (_, events) = try await database.write(
                database.request(
                    zone, database.operation("forceDelete", "big"), database.operation("forceDelete", "a"),
                    database.operation("forceReplace", "b", ["photos": .array([two.value])])))
            let uses = try await database.uses()
            #expect(uses == ["b.photos[0]=\(two.blob)"])
            #expect(events.allSatisfy { !$0.dropsAssets })
        }
    }

    @Test func theDatabaseKeepsABlobThatARecordNames() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            let photo = try await database.upload(1)
            try await database.write(database.request(zone, database.operation("create", "a", ["photo": photo.value])))
            func deleteBlob() async throws {
                _ = try await database.superuser.withConnection {
                    try await $0.query("delete from asset.blob where id = $1", [.int8(photo.blob)])
                }
            }
            let error = await #expect(throws: PostgresError.self) { try await deleteBlob() }
            #expect(error?.sqlState == .foreignKeyViolation)
            try await database.write(database.request(zone, database.operation("delete", "a")))
            try await deleteBlob()
        }
    }
}
