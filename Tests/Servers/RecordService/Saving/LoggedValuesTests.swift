import CloudKitModel
import CloudKitWire
import PostgresClient
import ServiceMessages
import SignedTokens
import Testing

@testable import RecordService
@testable import RecordStorage

/// The values of records in the change log and in events.
@Suite(.enabled(if: RecordDatabase.serverURL != nil), .timeLimit(.minutes(10)))
struct LoggedValuesTests {
    private static let large = JSONValue.string(String(repeating: "x", count: 950_000))

    @Test func aChangeHasTheRecordAfterItAndADeletionTheOneBefore() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            try await database.write(database.request(zone, database.operation("create", "old", ["n": 1, "m": 7])))
            try await database.watch()
            var events: [ChangeEvent] = []
            for (kind, fields) in [("forceUpdate", ["n": 2] as [String: JSONValue]), ("forceDelete", [:])] {
                events += try await database.write(
                    database.request(zone, database.operation(kind, "old", fields))
                ).events
            }
            events += try await database.write(
                database.request(
                    zone, database.operation("create", "new", ["n": 3]), database.operation("forceDelete", "none"))
            ).events
            let logged = try await database.logged(zone, after: 1)
            let published = try events.flatMap { try $0.changedRecords() ?? [] }
            #expect(published.map { $0.record?.value("n") } == logged.map { $0.record?.value("n") })
            #expect(published.map(\.seq) == logged.map(\.seq))
            #expect(logged.map(\.kind) == [.updated, .deleted, .created])
            #expect(logged.map { $0.record?.value("n") } == [2, 2, 3])
            #expect(logged.map { $0.record?.value("m") } == [7, 7, nil])
            #expect(logged.map { $0.record?["recordName"] } == ["old", "old", "new"])
            #expect(logged[1].record?["recordChangeTag"] == logged[0].record?["recordChangeTag"])
            let record = try #require(logged[0].record)
            #expect(record["recordType"] == "Photo")
            #expect(record["fields"]?["n"]?["type"] == "INT64")
            #expect(record["created"]?["userRecordName"]?.string == RecordDatabase.user)
            #expect(record["modified"]?["timestamp"]?.int != nil)
            #expect(record["zoneID"] == nil)
        }
    }

    @Test func unwatchedTypesAreLoggedWithoutValues() async throws {
        try await RecordDatabase.with { database in
            let client = RecordClient(database: database)
            _ = try await client.modify("create", "Note", "a", ["n": 1])
            _ = try await client.modify("create", "Other", "b", ["n": 1])
            try await database.watch("Other")
            for (type, name) in [("Note", "c"), ("Other", "d")] {
                _ = try await client.modify("create", type, name, ["n": 1])
            }
            let rows = try await database.query(
                "select records -> 0 ->> 'recordName', records -> 0 ? 'record' from record.change order by to_seq")
            #expect(
                rows.map { "\($0.string(0)) \($0.bool(1))" } == ["a false", "b false", "c false", "d true"])
        }
    }

    @Test func whatIsEncryptedStaysOutAndAssetsHaveNoAddress() async throws {
        try await RecordDatabase.with { database in
            try await RecordClient(database: database).importSchema(
                """
                DEFINE SCHEMA
                RECORD TYPE Photo (n INT64, secret ENCRYPTED STRING, file ASSET, GRANT WRITE, CREATE, READ TO "_icloud");
                """)
            let zone = try await database.zone()
            try await database.watch()
            let (_, file) = try await database.upload(7)
            let (answers, _) = try await database.write(
                database.request(
                    zone, database.operation("create", "a", ["n": 1, "secret": "s3cret", "file": file])),
                database.request(zone, database.operation("forceDelete", "a")))
            #expect(answers[0]["records"]?[0]?.value("secret") == "s3cret")
            let logged = try await database.logged(zone)
            #expect(logged.count == 2)
            for change in logged {
                let fields = try #require(change.record?["fields"]?.members)
                #expect(Set(fields.map(\.key)) == ["n", "file"])
                let asset = try #require(change.record?.value("file")?.members)
                #expect(asset.map(\.key).sorted() == ["fileChecksum", "size"])
            }
            let rows = try await database.query("select from record.change where records::text like '%s3cret%'")
            #expect(rows.isEmpty)
        }
    }

    @Test func changesThatTheLogForgotAreReportedWithTheirCurrentRecords() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            let saves: [(kind: String, name: String, n: Int64)] = [
                ("create", "a", 1), ("create", "b", 2), ("create", "c", 3), ("forceUpdate", "a", 4),
            ]
            for (kind, name, n) in saves {
                try await database.write(
                    database.request(zone, database.operation(kind, name, ["n": .int(n)])))
            }
            try await database.write(database.request(zone, database.operation("forceDelete", "b")))
            let unwatched = try await database.logged(zone)
            #expect(unwatched.allSatisfy { $0.record == nil })
            try await database.watch()
            try await database.forgetLog()
            let merged = try await database.logged(zone)
            #expect(merged.map(\.name) == ["c", "a", "b"])
            #expect(merged.map { $0.record?.value("n") } == [3, 4, nil])
            #expect(merged.map(\.kind) == [.created, .updated, .deleted])
        }
    }

    /// Rows and pages have a limited size even if records are large. A record that is deleted by a cascade is logged
    /// with its last values.
    @Test func largeValuesComeInPagesOfBoundedSize() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            try await database.write(database.request(zone, database.operation("create", "root", ["n": 1])))
            let names = (0..<12).map { "r\($0)" }
            for name in names {
                let fields: [String: JSONValue] = ["text": Self.large, "o": RecordDatabase.reference("root")]
                try await database.write(database.request(zone, database.operation("create", name, fields)))
            }
            try await database.watch()
            try await database.forgetLog()
            // These events were created from the feed.
            let merged = try await database.log(of: zone)
            try Self.check(merged, names: ["root"] + names)
            #expect(merged.count > 1)

            // Many small changes of large records, executed together.
            let requests = try names.map {
                try database.request(zone, database.operation("forceUpdate", $0, ["n": 5]))
            }
            try await database.forgetLog()
            var waiting = requests
            var rounds = 0
            let transaction = WriteTransaction(
                pool: database.pool, schema: database.store.schema, tokens: database.store.tokens,
                receiptKeys: try RecordDatabase.keys(.assetReceipt), limits: Limits())
            while !waiting.isEmpty, rounds < 10 {
                let result = try await transaction.run(waiting, waiting: false)
                rounds += 1
                for (request, additions) in result.awaitingSchema {
                    try await database.store.schema.extend(request.zone.database.environment, by: additions)
                }
                waiting = result.returned + result.awaitingSchema.map(\.request)
            }
            #expect(waiting.isEmpty)
            #expect(rounds > 1)
            try Self.check(try await database.log(of: zone, after: 13), names: names)

            // The records are too large to be deleted by name, or to be merged, in one request. Dependents are deleted
            // in the background.
            let refused = try await database.write(
                database.request(zone, names.map { database.operation("forceDelete", $0) })
            ).answers[0]
            #expect(refused["reasonCode"] == "limit_exceeded", "\(refused)")
            let deleted = try await database.outcomes(zone, database.operation("forceDelete", "root"))
            #expect(deleted == ["deleted"])
            let job = CascadeJob(
                pool: database.pool, schema: database.store.schema, logger: RecordDatabase.logger)
            while try await job.runOnce() {}
            let gone = try await database.log(of: zone, after: 25)
            try Self.check(gone, names: ["root"] + names)
            let kinds = try gone.flatMap { $0 }.flatMap { try $0.changedRecords() ?? [] }.map(\.kind)
            #expect(kinds.allSatisfy { $0 == .deleted })
        }
    }

    private static func check(_ pages: [[ChangeEvent]], names: [String]) throws {
        for page in pages {
            #expect(page.reduce(0) { $0 + ($1.records?.count ?? 0) } < ChangesLogOperation.maxBytes + (2 << 20))
        }
        for event in pages.flatMap({ $0 }) where !event.isMerged {
            #expect(event.records?.count ?? 0 < 2 << 20)
        }
        let changes = try pages.flatMap { $0 }.flatMap { try $0.changedRecords() ?? [] }
        #expect(Set(changes.map(\.name.rawValue)) == Set(names))
        for change in changes where change.name != "root" { #expect(change.record?.value("text") == Self.large) }
    }
}
