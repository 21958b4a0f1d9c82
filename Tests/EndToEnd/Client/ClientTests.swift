import AMQPClient
import CloudKitModel
import CloudKitWire
import Crypto
import Foundation
import ServiceMessages
import TestSupport
import Testing

@testable import CloudKit

extension EndToEndTests {
    /// The client library's connection, assets and notifications at running services.
    @Suite(.timeLimit(.minutes(5))) struct ClientTests {
        private static func withServices(
            _ body: @Sendable (ServiceStack, ServiceProcess) async throws -> Void
        ) async throws {
            try await ServiceStack.with { stack in
                try await stack.startService(.asset)
                try await stack.startService(.record)
                try await stack.startService(.subscription, ["ZONDA_COURIER_URL": "\(stack.gatewayURL)/courier"])
                let gateway = try await stack.startService(.gateway)
                try await body(stack, gateway)
            }
        }

        @Test func aSessionLastsUntilTheUserSignsOut() async throws {
            try await Self.withServices { stack, _ in
                let client = try await ClientScenario.signedIn(stack)
                #expect(try await client.container.accountStatus() == .available)
                #expect(try await client.container.userRecordID().recordName == client.user.userName)
                try await client.makeZone("Notes")
                #expect(client.changes == 0)
                let session = try #require(try client.connection().session)
                await session.flush()
                let file = try ClientFile(readingFrom: client.folder + "/client.json")
                #expect(file.credential("userRecordName", of: stack.container) == client.user.userName)

                let signedOut = try await client.user.ask("users/signOut", in: "public")
                #expect(signedOut.status == 200)
                // Every instance of the gateway notices within five seconds.
                let error = try await eventually("the session has ended") {
                    do {
                        try await client.ask("zones/list", [:])
                        return nil as CKError?
                    } catch let error as CKError {
                        return error
                    }
                }
                #expect(error.code == .notAuthenticated)
                #expect(try await client.container.accountStatus() == .noAccount)
                #expect(client.changes == 1)
            }
        }

        @Test func aServerKeyOpensThePublicDatabaseOnly() async throws {
            try await Self.withServices { stack, _ in
                let user = try await GatewayClient.key(stack)
                guard case .key(let id, let key) = user.credentials else { throw TestFailure("no key") }
                let connections = Connections(environment: [:])
                connections.source = ZondaConnection(
                    url: try #require(URL(string: stack.gatewayURL)), container: stack.container,
                    credentials: .serverToServerKey(id: id, privateKey: key.pemRepresentation))
                let connection = try connections.connection(to: nil)
                #expect(try await connection.caller() == user.userName)
                let error = try await #require(throws: CKError.self) {
                    try await connection.send(WebRequest("zones/list", in: .private))
                }
                #expect(error.code == .notAuthenticated)
            }
        }

        @Test func anAssetIsUploadedOnceAndDownloadedOnce() async throws {
            try await Self.withServices { stack, _ in
                let client = try await ClientScenario.signedIn(stack)
                try await client.makeZone("Album")
                let bytes = randomBytes(9 << 20)
                let path = client.folder + "/photo"
                try Data(bytes).write(to: URL(fileURLWithPath: path))
                let connection = try client.connection()
                let uploads = AssetUploads(
                    connection: connection, database: .private, zoneID: ["zoneName": "Album"])
                func upload(_ name: String) async throws -> Asset {
                    let item = AssetUpload(
                        file: URL(fileURLWithPath: path), recordType: "Note", recordName: name, fieldName: "photo")
                    return try #require(await uploads.upload([item]).first).get()
                }
                var downloads: [Asset] = []
                for name in ["a", "b"] {
                    let asset = try await upload(name)
                    let record = try await client.save(
                        name, in: "Album", ["photo": ["type": "ASSETID", "value": asset.json]])
                    downloads.append(try #require(Asset(record["fields"]?["photo"]?["value"])))
                }
                #expect(downloads[0].fileChecksum == downloads[1].fileChecksum)
                let cache = AssetCache(folder: client.folder + "/cache")
                let first = try await cache.file(of: downloads[0], from: connection)
                #expect(try Data(contentsOf: first) == Data(bytes))
                #expect(try await cache.file(of: downloads[1], from: connection) == first)
                #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data(bytes))

                var gone = downloads[0]
                var address = try #require(URLComponents(string: gone.downloadURL ?? ""))
                (address.path, address.query) = ("/gone", nil)
                gone.downloadURL = address.string
                try FileManager.default.removeItem(at: first)
                let error = try await #require(throws: CKError.self) {
                    try await cache.file(of: gone, from: connection)
                }
                #expect(error.code == .assetNotAvailable, "\(error)")
            }
        }

        @Test func notificationsArriveAcrossARestartOfTheGateway() async throws {
            try await Self.withServices { stack, gateway in
                let client = try await ClientScenario.signedIn(stack)
                let other = try ClientScenario(client.user, stack)
                try await client.makeZone("Notes")
                try await client.ask(
                    "subscriptions/modify",
                    [
                        "operations": [
                            [
                                "operationType": "create",
                                "subscription": [
                                    "subscriptionID": "notes", "subscriptionType": "zone",
                                    "zoneID": ["zoneName": "Notes"],
                                    "notificationInfo": ["shouldSendContentAvailable": true],
                                ],
                            ]
                        ]
                    ])
                let connection = try client.connection()
                var feed = EventFeed(environment: ["XDG_STATE_HOME": client.folder]) {
                    () throws(CKError) in connection
                }
                guard case .gap = try await feed.next() else { throw TestFailure("no registration") }
                var iterator = CKNotificationSequence.Iterator(feed: feed)
                _ = try await other.save("a", in: "Notes", ["n": ["value": 1]])
                let first = try #require(try await iterator.next() as? CKRecordZoneNotification)
                #expect(first.recordZoneID?.zoneName == "Notes")
                #expect(first.subscriptionID == "notes")

                // What the client changes itself is not announced to it; what happens while the gateway is away is.
                _ = try await client.save("b", in: "Notes", ["n": ["value": 1]])
                gateway.terminate()
                _ = try await gateway.exit(within: .seconds(30))
                let user = stack.client().with(Header.user, .string(client.user.userName))
                try await user.save("Notes", "c", ["n": 2])
                try await stack.startService(.gateway)
                let second = try #require(try await iterator.next())
                #expect(second.notificationID != first.notificationID)
            }
        }
    }
}

extension Asset {
    /// The dictionary with which the asset is saved.
    fileprivate var json: JSONValue {
        [
            "fileChecksum": .string(fileChecksum ?? ""), "size": .int(size ?? 0), "receipt": .string(receipt ?? ""),
            "referenceChecksum": .string(referenceChecksum ?? ""), "wrappingKey": .string(wrappingKey ?? ""),
        ]
    }

    /// Reads the dictionary of an asset that was fetched.
    fileprivate init?(_ json: JSONValue?) {
        guard let checksum = json?["fileChecksum"]?.string, let size = json?["size"]?.int,
            let url = json?["downloadURL"]?.string
        else { return nil }
        self.init(fileChecksum: checksum, size: size, downloadURL: url)
    }
}
