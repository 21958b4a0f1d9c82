import CloudKitModel
import CloudKitWire
import PostgresClient
import RequestServing
import ServiceMessages
import SignedTokens
import Testing

@testable import RecordService
@testable import RecordStorage

/// Assets of shared records: the rights that the asset service asks for, the addresses that participants receive, and
/// the receipts with which they save.
@Suite(.enabled(if: RecordDatabase.serverURL != nil), .timeLimit(.minutes(5)))
struct SharedAssetTests {
    /// `list`, which contains an asset and is shared by `S`, and `shelf`, which contains an asset and is not shared. `b`
    /// may write, and `c` may read; `d` is invited.
    private static func plant(_ database: RecordDatabase) async throws -> ZoneEntry {
        let zone = try await database.zone()
        try await database.save(
            zone, database.operation("create", "list", ["photo": try await database.upload(1).value]),
            database.operation("create", "shelf", ["photo": try await database.upload(2).value]))
        try await database.save(zone, share(database, "create", of: "list"))
        for digit in ["b", "c"] as [Character] { try await SharedReader(database, digit).accept("S", in: zone) }
        return zone
    }

    private static func share(
        _ database: RecordDatabase, _ kind: String, of root: String? = nil, tag: String? = nil,
        writer: String = "READ_WRITE",
        without removed: Character? = nil
    ) -> JSONValue {
        let rights = [("b", writer), ("c", "READ_ONLY"), ("d", "READ_WRITE")] as [(Character, String)]
        return database.share(
            kind, "S", of: root, tag: tag,
            participants: rights.filter { $0.0 != removed }.map {
                RecordDatabase.participant(RecordDatabase.user($0.0), $0.1)
            })
    }

    private static func rights(
        _ reader: SharedReader, _ zone: String = "Z", owner: String? = RecordDatabase.user
    ) async throws -> JSONValue {
        try await reader.ask(.sharesRights, ["zoneID": SharedReader.zoneID(zone, owner: owner)])
    }

    @Test func participantsHaveTheRightsOfTheirShares() async throws {
        try await RecordDatabase.with { database in
            let zone = try await Self.plant(database)
            #expect(try await Self.rights(SharedReader(database, "b")).encodedText == #"{"permission":"READ_WRITE"}"#)
            #expect(try await Self.rights(SharedReader(database, "c"))["permission"] == "READ_ONLY")
            // A right to write in another share of the zone is enough.
            try await database.save(
                zone,
                database.share(
                    "create", "T", of: "shelf",
                    participants: [RecordDatabase.participant(RecordDatabase.user("c"))]))
            #expect(try await Self.rights(SharedReader(database, "c"))["permission"] == "READ_ONLY")
            try await SharedReader(database, "c").accept("T", in: zone)
            #expect(try await Self.rights(SharedReader(database, "c"))["permission"] == "READ_WRITE")
            // Every answer is read anew.
            let tag = try await database.tag("S", in: zone)
            try await database.save(zone, Self.share(database, "update", tag: tag, writer: "READ_ONLY"))
            #expect(try await Self.rights(SharedReader(database, "b"))["permission"] == "READ_ONLY")
        }
    }

    @Test func whoMayNotSeeTheZoneIsAnsweredAsForAZoneThatNeverWas() async throws {
        try await RecordDatabase.with { database in
            let zone = try await Self.plant(database)
            func text(_ answer: JSONValue) -> String {
                let members = (answer.members ?? []).filter { !["uuid", "requestID"].contains($0.key) }
                return JSONValue.object(members).encodedText
            }
            func expectNothing(_ digit: Character) async throws {
                let reader = SharedReader(database, digit)
                let hidden = try await Self.rights(reader)
                #expect(hidden["ckErrorCode"] == 26 && hidden["serverErrorCode"] == "ZONE_NOT_FOUND", "\(hidden)")
                let madeUp = text(try await Self.rights(reader, "Y")).replacing("'Y'", with: "'Z'")
                    .replacing("\"Y\"", with: "\"Z\"")
                let other = RecordDatabase.user("9")
                let nobodys = text(try await Self.rights(reader, owner: other))
                #expect(text(hidden) == madeUp)
                #expect(text(hidden) == nobodys.replacing(other, with: RecordDatabase.user))
            }
            try await expectNothing("d")
            try await expectNothing("e")
            let tag = try await database.tag("S", in: zone)
            try await database.save(zone, Self.share(database, "update", tag: tag, without: "b"))
            try await expectNothing("b")
            // The owner's own zones are not in the shared database either.
            let owner = SharedReader(database, "a")
            #expect(try await Self.rights(owner)["ckErrorCode"] == 26)
            #expect(try await Self.rights(owner, owner: nil)["ckErrorCode"] == 12)
            try await database.save(zone, database.operation("forceDelete", "S"))
            try await expectNothing("c")
        }
    }

    @Test func theRightsOfADeletedZoneAreGoneAtOnce() async throws {
        try await RecordDatabase.with { database in
            _ = try await Self.plant(database)
            let reader = SharedReader(database, "b")
            #expect(try await Self.rights(reader)["permission"] == "READ_WRITE")
            let deletion: JSONValue = ["operationType": "delete", "zone": ["zoneID": ["zoneName": "Z"]]]
            _ = try await database.ask(.zonesModify, ["operations": [deletion]])
            #expect(try await Self.rights(reader)["ckErrorCode"] == 26)
            _ = try await database.zone()
            #expect(try await Self.rights(reader)["ckErrorCode"] == 26)
        }
    }

    @Test func participantsReceiveAddressesOfVisibleAssetsOnly() async throws {
        try await RecordDatabase.with { database in
            let zone = try await Self.plant(database)
            let reader = SharedReader(database, "c")
            func grants(_ answer: JSONValue?) throws -> [AssetDownloadGrant] {
                try (answer?["records"]?.array ?? []).compactMap {
                    $0["fields"]?["photo"]?["value"]?["downloadURL"]?.string
                }.map {
                    try #require(
                        AssetDownloadGrant(
                            opening: $0.split(separator: "/")[3], with: try RecordDatabase.keys(.assetDownload)))
                }
            }
            let checksum = try #require(AssetChecksum(bytes: Array(repeating: 1, count: 32)))
            for answer in [try await reader.look("list", "shelf"), try await reader.page(since: nil)] {
                let found = try grants(answer)
                #expect(found.map(\.checksum) == [checksum] && found.first?.scope == RecordDatabase.scope)
                // The address ends after `asset.downloadLife`, which is 60 s here, even if the user is removed.
                let life = try #require(found.first).expiresAt - SystemClock.milliseconds()
                #expect((1...60_000).contains(life))
            }
            let tag = try await database.tag("S", in: zone)
            try await database.save(zone, Self.share(database, "update", tag: tag, without: "c"))
            #expect(try await reader.look("list")["ckErrorCode"] == 26)
        }
    }

    @Test func theOwnerCannotSaveWithAParticipantsReceipt() async throws {
        try await RecordDatabase.with { database in
            let zone = try await Self.plant(database)
            let upload = try await database.upload(3)
            let checksum = try #require(AssetChecksum(bytes: Array(repeating: 3, count: 32)))
            func saved(_ participant: AssetScope.Participant?) async throws -> JSONValue? {
                var scope = RecordDatabase.scope
                scope.participant = participant
                let receipt = AssetReceipt(
                    blob: upload.blob, checksum: checksum, size: 5, scope: scope,
                    expiresAt: SystemClock.milliseconds() + 60_000)
                let value: JSONValue = [
                    "fileChecksum": .string(checksum.fileChecksum), "size": 5,
                    "receipt": .string(receipt.sealed(with: try RecordDatabase.keys(.assetReceipt))),
                ]
                let request = try database.request(zone, database.operation("forceUpdate", "n", ["photo": value]))
                return try await database.write(request).answers[0]["records"]?[0]
            }
            let participant = AssetScope.Participant(
                user: RecordDatabase.user("b"), zone: ZoneName(unchecked: "Z"))
            #expect(try await saved(participant)?["reasonCode"] == "asset_receipt_foreign")
            #expect(try await saved(nil)?["serverErrorCode"] == nil)
        }
    }
}

extension JSONValue {
    fileprivate var encodedText: String { String(decoding: encoded(), as: UTF8.self) }
}
