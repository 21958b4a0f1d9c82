import CloudKitWire
import TestSupport
import Testing

extension EndToEndTests {
    /// Uploads of participants by web services.
    @Suite(.sharedGateway, .timeLimit(.minutes(5))) struct SharedUploadTests {
        private static func send(
            _ client: GatewayClient, _ endpoint: String, in database: String, _ body: JSONValue
        ) async throws -> AssetClient.Response {
            try await client.ask(endpoint, in: database, String(decoding: body.encoded(), as: UTF8.self))
        }

        @Test func aParticipantUploadsForTheOwnersZoneAndAStrangerDoesNot() async throws {
            let stack = try SharedStack.current
            let (owner, writer) = (try await GatewayClient.user(stack), try await GatewayClient.user(stack))
            let stranger = try await GatewayClient.user(stack)
            _ = try await Self.send(
                owner, "zones/modify", in: "private",
                ["operations": [["operationType": "create", "zone": ["zoneID": ["zoneName": "Album"]]]]])
            let participant: JSONValue = [
                "type": "USER", "permission": "READ_WRITE", "acceptanceStatus": "INVITED",
                "userIdentity": ["userRecordName": .string(writer.userName)],
            ]
            let saved = try await Self.send(
                owner, "records/modify", in: "private",
                [
                    "zoneID": ["zoneName": "Album"],
                    "operations": [
                        .operation("create", "list"),
                        [
                            "operationType": "create",
                            "record": [
                                "recordType": "cloudkit.share", "recordName": "S", "fields": [:],
                                "forRecord": ["recordName": "list"], "participants": [participant],
                            ],
                        ],
                    ],
                ])
            let link = try #require(saved.json["records"]?[1]?["shortGUID"], "\(saved.text)")
            let zone: JSONValue = ["zoneName": "Album", "ownerRecordName": .string(owner.userName)]
            let upload: JSONValue = ["tokens": [["recordType": "Note", "fieldName": "file"]], "zoneID": zone]
            // Before the invitation is accepted, the zone does not exist.
            for client in [writer, stranger] {
                let refused = try await Self.send(client, "assets/upload", in: "shared", upload)
                #expect(refused.status == 404 && refused.json["reasonCode"] == "zone_not_found", "\(refused.text)")
            }
            let accepted = try await Self.send(
                writer, "records/accept", in: "public", ["shortGUIDs": [["value": link]]])
            try #require(accepted.status == 200, "\(accepted.text)")
            let tokens = try await Self.send(writer, "assets/upload", in: "shared", upload)
            let url = try #require(tokens.json["tokens"]?[0]?["url"]?.string, "\(tokens.text)")
            let bytes = randomBytes(100)
            let file = try #require(try await AssetClient.upload(bytes, to: url).json["singleFile"])
            #expect(file["size"] == 100 && file["receipt"]?.string != nil)
            let refused = try await Self.send(stranger, "assets/upload", in: "shared", upload)
            #expect(refused.status == 404, "\(refused.text)")
        }
    }
}
