import CloudKitModel
import CloudKitWire
import PostgresClient
import ServiceMessages
import Testing

@testable import RecordService
@testable import RecordStorage

/// `assets.used` and `assets.references`.
@Suite(.enabled(if: RecordDatabase.serverURL != nil), .timeLimit(.minutes(10)))
struct AssetUsesOperationTests {
    private static let container = JSONValue.string(RecordDatabase.container)

    @Test func blobsThatRecordsNameAreUsed() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            let (one, two, three) = (
                try await database.upload(1), try await database.upload(2), try await database.upload(3)
            )
            try await database.write(
                database.request(
                    zone, database.operation("create", "a", ["photo": one.value, "photos": .array([one.value])]),
                    database.operation("create", "b", ["photos": .array([three.value, one.value])])))
            let blobs: JSONValue = .array([.int(three.blob), .int(two.blob), .int(one.blob), 12345])
            let answer = try await database.ask(.assetsUsed, ["container": Self.container, "blobs": blobs])
            #expect(answer == ["used": .array([.int(three.blob), .int(one.blob)])])

            func references(_ limit: Int64) async throws -> JSONValue {
                try await database.ask(
                    .assetsReferences, ["container": Self.container, "blob": .int(one.blob), "limit": .int(limit)])
            }
            func reference(_ name: JSONValue, _ field: JSONValue, _ position: JSONValue) -> JSONValue {
                [
                    "environment": "development", "database": "private", "owner": .string(RecordDatabase.user),
                    "zone": "Z", "recordName": name, "fieldName": field, "position": position,
                ]
            }
            let all: [JSONValue] = [
                reference("a", "photo", 0), reference("a", "photos", 0), reference("b", "photos", 1),
            ]
            let whole = try await references(3)
            #expect(whole == ["references": .array(all), "moreComing": false])
            let part = try await references(2)
            #expect(part == ["references": .array(Array(all.prefix(2))), "moreComing": true])
            let none = try await database.ask(
                .assetsReferences, ["container": Self.container, "blob": .int(two.blob)])
            #expect(none == ["references": [], "moreComing": false])
        }
    }

    @Test func databasesThatUseBlobsAreListed() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            let (one, two) = (try await database.upload(1), try await database.upload(2))
            try await database.write(
                database.request(
                    zone, database.operation("create", "a", ["photo": one.value, "photos": .array([one.value])]),
                    database.operation("create", "b", ["photo": one.value])))
            func holders(_ environment: JSONValue, _ after: JSONValue = .null) async throws -> JSONValue {
                try await database.ask(
                    .assetsHolders,
                    [
                        "container": Self.container, "environment": environment,
                        "blobs": [.int(one.blob), .int(two.blob)], "after": after,
                    ])
            }
            let holder: JSONValue = [
                "blob": .int(one.blob), "database": "private", "owner": .string(RecordDatabase.user),
            ]
            #expect(try await holders("development") == ["holders": [holder]])
            #expect(try await holders("production") == ["holders": []])
            #expect(
                try await holders("development", ["blob": .int(one.blob), "database": .int(.max)]) == ["holders": []])
            let malformed = try await database.ask(.assetsHolders, ["container": Self.container, "blobs": []])
            #expect(malformed["field"] == "environment")
        }
    }

    @Test func usesOfOneDatabaseAreListedSeparately() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            let blob = try await database.upload(1)
            try await database.write(database.request(zone, database.operation("create", "a", ["photo": blob.value])))
            for (environment, scope, owner, isUsed) in [
                ("development", "private", RecordDatabase.user, true),
                ("production", "private", RecordDatabase.user, false),
                ("development", "private", "_somebody", false), ("development", "public", RecordDatabase.user, false),
            ] {
                let answer = try await database.ask(
                    .assetsUsed,
                    [
                        "container": Self.container, "blobs": [.int(blob.blob), 0], "environment": .string(environment),
                        "database": .string(scope), "owner": .string(owner),
                    ])
                #expect(answer["used"] == .array(isUsed ? [.int(blob.blob)] : []))
            }
            let nobody = try await database.ask(
                .assetsUsed, ["container": Self.container, "blobs": [], "database": "private"])
            #expect(nobody["field"] == "owner")
        }
    }

    @Test func whatCannotBeAskedIsRefusedByName() async throws {
        try await RecordDatabase.with { database in
            // A container that does not exist uses nothing. The blobs that it used can be deleted.
            let unknown = try await database.ask(.assetsUsed, ["container": "com.example.none", "blobs": [1]])
            #expect(unknown == ["used": []])
            let stranger = try await database.ask(.assetsReferences, ["container": "com.example.none", "blob": 1])
            #expect(stranger["reasonCode"] == "container_not_found")
            for (body, field): (JSONValue, JSONValue) in [
                (["blobs": []], "container"), (["container": Self.container], "blobs"),
                (["container": Self.container, "blobs": ["x"]], "blobs"),
                (["container": Self.container, "blobs": .array(Array(repeating: 1, count: 10_001))], "blobs"),
            ] {
                let answer = try await database.ask(.assetsUsed, body)
                #expect(answer["serverErrorCode"] == "BAD_REQUEST")
                #expect(answer["field"] == field)
            }
        }
    }
}
