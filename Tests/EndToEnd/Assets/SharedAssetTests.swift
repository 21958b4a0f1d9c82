import AMQPClient
import CloudKitWire
import ServiceMessages
import TestSupport
import Testing

extension EndToEndTests {
    /// Assets of a zone that is shared: uploads and downloads over HTTP by the owner, participants and others.
    @Suite(.sharedServices, .timeLimit(.minutes(3))) struct SharedAssetTests {
        /// The owner of `Album`, in which `list` is shared, and users with different rights.
        private struct Album {
            let owner: TestClient
            let writer: TestClient
            let reader: TestClient
            let invited: TestClient
            let stranger: TestClient

            /// The id of the zone as participants write it.
            var zone: JSONValue { zone("Album") }

            func zone(_ name: String) -> JSONValue {
                ["zoneName": .string(name), "ownerRecordName": .string(owner.user)]
            }
        }

        private static func participant(_ user: String, _ permission: String) -> JSONValue {
            [
                "type": "USER", "permission": .string(permission), "acceptanceStatus": "INVITED",
                "userIdentity": ["userRecordName": .string(user)],
            ]
        }

        private static func album(_ bytes: [UInt8]) async throws -> Album {
            let stack = try SharedStack.current
            func client() -> TestClient { stack.client().with(Header.database, "shared") }
            let album = Album(
                owner: stack.client(), writer: client(), reader: client(), invited: client(), stranger: client())
            try await album.owner.zones("create", "Album")
            let asset = try await album.owner.upload(bytes)
            try await album.owner.save("Album", "list", ["file": asset])
            try await album.owner.save("Album", "other", ["file": asset])
            let share: JSONValue = [
                "recordType": "cloudkit.share", "recordName": "S", "fields": [:], "forRecord": ["recordName": "list"],
                "participants": [
                    participant(album.writer.user, "READ_WRITE"), participant(album.reader.user, "READ_ONLY"),
                    participant(album.invited.user, "READ_WRITE"),
                ],
            ]
            let saved = try await album.owner.modify("Album", ["operationType": "create", "record": share])
            let link = try #require(saved["records"]?[0]?["shortGUID"], "\(saved.body)")
            for client in [album.writer, album.reader] {
                let accepted = try await client.with(Header.database, "public").ask(
                    .recordsAccept, ["shortGUIDs": [["value": link]]])
                try #require(accepted["results"]?[0]?["participantStatus"] == "ACCEPTED", "\(accepted.body)")
            }
            return album
        }

        private static func address(_ client: TestClient, _ zone: JSONValue, _ claim: JSONValue? = nil) async throws
            -> TestReply
        {
            var token: [JSONValue.Member] = [.init("recordType", "Note"), .init("fieldName", "file")]
            for key in ["fileChecksum", "size"] { if let value = claim?[key] { token.append(.init(key, value)) } }
            return try await client.ask(.assetsUpload, ["tokens": [.object(token)], "zoneID": zone])
        }

        /// The text of an answer without the request's ids.
        private static func text(_ reply: TestReply) -> String {
            JSONValue.object((reply.body.members ?? []).filter { !["uuid", "requestID"].contains($0.key) }).encodedText
        }

        @Test func participantsUploadToTheOwnersDatabaseAndSeeSharedAssetsOnly() async throws {
            let bytes = randomBytes(3000)
            let album = try await Self.album(bytes)
            let lookup: JSONValue = [
                "zoneID": album.zone, "records": [["recordName": "list"], ["recordName": "other"]],
            ]
            for client in [album.writer, album.reader] {
                let found = try await client.ask(.recordsLookup, lookup)
                let url = try #require(found["records"]?[0]?.values["file"]?["downloadURL"]?.string, "\(found.body)")
                #expect(try await AssetClient.get(url).body == bytes)
                #expect(found["records"]?[1]?["ckErrorCode"] == 11)
            }
            // The owner's content is not "already there" for a participant, who uploads it.
            let known = try #require(try await album.owner.record("Album", "list").values["file"])
            let tokens = try await Self.address(album.writer, album.zone, known)
            let url = try #require(tokens["tokens"]?[0]?["url"]?.string, "\(tokens.body)")
            let file = try #require(try await AssetClient.upload(bytes, to: url).json["singleFile"])
            // The receipt is good neither for the owner nor in the participant's own database.
            let own = album.writer.with(Header.database, "private")
            try await own.zones("create", "Album")
            for client in [album.owner, own] {
                let saved = try await client.modify("Album", .operation("create", "new", ["file": file]))
                #expect(saved["records"]?[0]?.reasonCode == "asset_receipt_foreign", "\(saved.body)")
            }
            // An asset can be referred to again if the record is visible.
            func rereference(_ client: TestClient, _ name: String) async throws -> TestReply {
                try await client.ask(
                    .assetsRereference,
                    ["zoneID": album.zone, "assets": [["recordName": .string(name), "fieldName": "file"]]])
            }
            #expect(try await rereference(album.writer, "list")["assets"]?[0]?["receipt"]?.string != nil)
            let (hidden, madeUp) = (
                try await rereference(album.writer, "other"), try await rereference(album.writer, "never")
            )
            #expect(hidden["ckErrorCode"] == 11)
            #expect(Self.text(hidden) == Self.text(madeUp).replacing("never", with: "other"))
            #expect(try await rereference(album.reader, "list")["ckErrorCode"] == 10)
            #expect(try await rereference(album.stranger, "list")["ckErrorCode"] == 26)
        }

        @Test func onlyThoseWhoMayWriteGetAnAddress() async throws {
            let album = try await Self.album(randomBytes(10))
            #expect(try await Self.address(album.writer, album.zone).status == 200)
            #expect(try await Self.address(album.reader, album.zone)["ckErrorCode"] == 10)
            #expect(try await Self.address(album.writer, .zone("Album"))["ckErrorCode"] == 12)
            func expectNothing(_ client: TestClient) async throws {
                let hidden = try await Self.address(client, album.zone)
                #expect(hidden.status == 404 && hidden["ckErrorCode"] == 26, "\(hidden.body)")
                let madeUp = try await Self.address(client, album.zone("Never"))
                #expect(Self.text(hidden) == Self.text(madeUp).replacing("Never", with: "Album"))
                let nobody = TestClient.newUser()
                let ofNobody = try await Self.address(
                    client, ["zoneName": "Album", "ownerRecordName": .string(nobody)])
                #expect(Self.text(hidden) == Self.text(ofNobody).replacing(nobody, with: album.owner.user))
            }
            try await expectNothing(album.invited)
            try await expectNothing(album.stranger)
            try await expectNothing(album.owner.with(Header.database, "shared"))
            // A removed participant has an address that no longer takes bytes.
            let url = try #require(try await Self.address(album.writer, album.zone)["tokens"]?[0]?["url"]?.string)
            let share = try await album.owner.record("Album", "S")
            let removal: JSONValue = [
                "operationType": "update",
                "record": [
                    "recordType": "cloudkit.share", "recordName": "S", "fields": [:],
                    "recordChangeTag": share["recordChangeTag"] ?? .null,
                    "participants": [Self.participant(album.reader.user, "READ_ONLY")],
                ],
            ]
            let removed = try await album.owner.modify("Album", removal)
            try #require(removed["records"]?[0]?.errorCode == nil, "\(removed.body)")
            try await expectNothing(album.writer)
            let refused = try await AssetClient.upload(randomBytes(10), to: url)
            #expect(refused.status == 404 && refused.json["ckErrorCode"] == 26)
        }
    }
}

extension JSONValue {
    fileprivate var encodedText: String { String(decoding: encoded(), as: UTF8.self) }
}
