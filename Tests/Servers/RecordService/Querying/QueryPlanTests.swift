import CloudKitModel
import CloudKitQuery
import CloudKitWire
import PostgresClient
import ServiceMessages
import Testing

@testable import RecordService
@testable import RecordStorage

/// Refusals, limits and warnings of queries, and their demand for indexes.
@Suite(.enabled(if: RecordDatabase.serverURL != nil), .timeLimit(.minutes(10)))
struct QueryPlanTests {
    private static func filled(_ database: RecordDatabase) async throws -> ZoneEntry {
        let zone = try await database.zone()
        try await database.write(
            try database.request(
                zone,
                (0..<30).map {
                    database.operation(
                        "create", "r\($0)", ["title": .string("Title \($0)"), "n": .int($0), "tags": ["a", "b"]])
                }))
        return zone
    }

    @Test func anIndexIsAskedForOnceAndThenTheWarningIsGone() async throws {
        try await RecordDatabase.with { database in
            _ = try await Self.filled(database)
            let first = try await database.find("Photo", "n == 5")
            #expect(first.names == ["r5"])
            #expect(
                first["warnings"] == [
                    "The QUERYABLE index of 'n' is still being built; records were read one by one"
                ])
            _ = try await database.find("Photo", "n == 6")
            let rows = try await database.query("select field, method, state from record.field_index")
            #expect(rows.map { "\($0.string(0)) \($0.string(1)) \($0.string(2))" } == ["n ordered waiting"])
            try await database.buildIndexes()
            let second = try await database.find("Photo", "n == 5")
            #expect(second.names == ["r5"])
            #expect(second["warnings"] == nil)
        }
    }

    @Test func aZoneThatHoldsMostOfTheTableIsFoundInAsWellAsOthers() async throws {
        try await RecordDatabase.with { database in
            let large = try await Self.filled(database)
            let small = try await database.zone("Y")
            try await database.write(
                try database.request(small, database.operation("create", "y", ["n": 5, "tags": ["a", "c"]])))
            func found(_ zone: String) async throws -> [String] {
                let scope = QueryScope(zoneID: ZoneID(zoneName: ZoneName(unchecked: zone)))
                return try await database.find("Photo", "tags CONTAINS 'a' AND n == 5", scope: scope).names
            }
            #expect(try await found("Z") == ["r5"])
            try await database.buildIndexes()
            let environment = large.database.environment
            #expect(try await database.store.indexes.largeZones.zone(of: environment) == nil)
            _ = try await database.query(PostgresStatement("analyze \(environment.recordTable)", isPrepared: false))
            let fresh = LargeZones(pool: database.pool)
            #expect(try await fresh.zone(of: environment) == large.row)
            var store = database.store
            store.indexes = QueryIndexes(pool: database.pool, reading: database.pool)
            let database = RecordDatabase(pool: database.pool, superuser: database.superuser, store: store)
            for format in ["tags CONTAINS 'a'", "tags CONTAINS 'a' AND n == 5"] {
                let scope = QueryScope(zoneID: ZoneID(zoneName: ZoneName(unchecked: "Y")))
                #expect(try await database.find("Photo", format, scope: scope).names == ["y"], "\(format)")
            }
            #expect(try await database.find("Photo", "tags CONTAINS 'a'").names.count == 30)
        }
    }

    @Test func aScanPastItsLimitIsRefusedAndSaysWhichIndexIsMissing() async throws {
        try await RecordDatabase.with { database in
            _ = try await Self.filled(database)
            var store = database.store
            store.limits.maxScannedRecords = 10
            let small = RecordDatabase(pool: database.pool, superuser: database.superuser, store: store)
            let refused = try await small.find("Photo", "title ENDSWITH '7'")
            #expect(refused["reasonCode"] == "scan_too_large")
            #expect(refused["serverErrorCode"] == "BAD_REQUEST")
            #expect(refused["limit"] == 10)
            #expect(refused["reason"]?.string?.contains("'title'") == true)
            // With an index, no records are scanned.
            _ = try await small.find("Photo", "n == 5")
            try await database.buildIndexes()
            #expect(try await small.find("Photo", "n == 5").names == ["r5"])
            #expect(try await small.find("Photo", "n == 5 AND title ENDSWITH '5'").names == ["r5"])
            // A query that no index narrows reads all records of the type, in an order of its own.
            #expect(try await small.find("Photo", sorts: [Sort(.field("n"))], limit: 3).names == ["r0", "r1", "r2"])
        }
    }

    @Test func compatRefusesWhatCloudKitRefuses() async throws {
        let cases: [(String, String)] = [
            ("n == 1 OR n == 2", "predicate_not_supported"), ("title CONTAINS[c] 'x'", "predicate_not_supported"),
            ("title CONTAINS 'x'", "predicate_not_supported"), ("title ENDSWITH 'x'", "predicate_not_supported"),
            ("title LIKE 'x*'", "predicate_not_supported"), ("title MATCHES 'x*'", "predicate_not_supported"),
            ("title ==[c] 'x'", "predicate_not_supported"), ("title == nil", "predicate_not_supported"),
            ("NOT (n == 1 AND n == 2)", "predicate_not_supported"),
            ("NOT (n BETWEEN {1, 2})", "predicate_not_supported"),
            ("ANY tags != 'a'", "predicate_not_supported"), ("TRUEPREDICATE", "field_not_queryable"),
            ("creationDate > CAST(0, 'NSDate')", "field_not_sortable"),
        ]
        try await RecordDatabase.with { database in
            _ = try await Self.filled(database)
            var store = database.store
            store.limits = Limits(.compat)
            let compat = RecordDatabase(pool: database.pool, superuser: database.superuser, store: store)
            for (format, code) in cases {
                let answer = try await compat.find("Photo", format)
                #expect(answer["reasonCode"]?.string == code, "\(format): \(answer)")
                #expect(answer["ckErrorCode"] == 12)
            }
            let text = try await compat.find("Photo", "title CONTAINS[c] 'x'")
            #expect(
                text["reason"]
                    == "CONTAINS on a string field is not supported; use SEARCHABLE and self CONTAINS, or BEGINSWITH")
            for format in ["n == 1", "title BEGINSWITH 'Title 1' AND n > 3", "tags CONTAINS 'a'", "NOT (n IN {1, 2})"] {
                let answer = try await compat.find("Photo", format)
                #expect(answer["records"] != nil, "\(format): \(answer)")
            }
        }
    }

    @Test func whatCannotBeAskedIsRefusedWithTheField() async throws {
        let cases: [(String, String, String)] = [
            ("missing == 1", "field_not_found", "missing"), ("n == 'x'", "invalid_value", "n"),
            ("n BEGINSWITH 'x'", "not_comparable", "n"), ("tags == 'a'", "not_comparable", "tags"),
            ("ANY n == 1", "not_comparable", "n"), ("title MATCHES '(a'", "regular_expression_invalid", "title"),
            ("title > 5", "invalid_value", "title"), ("creationDate == 'x'", "invalid_value", "___createTime"),
        ]
        try await RecordDatabase.with { database in
            _ = try await Self.filled(database)
            for (format, code, field) in cases {
                let answer = try await database.find("Photo", format)
                #expect(answer["reasonCode"]?.string == code, "\(format): \(answer)")
                #expect(answer["field"]?.string == field, "\(format): \(answer)")
                #expect(answer["serverErrorCode"] == "BAD_REQUEST")
            }
            let unknown = try await database.find("Nothing", "n == 1")
            #expect(unknown["reason"] == "Did not find record type: Nothing")
            #expect(unknown["serverErrorCode"] == "NOT_FOUND")
            #expect(try await database.find("Users")["reasonCode"] == "type_not_queryable")
            let sorted = try await database.find("Photo", sorts: [Sort(.field("tags"))])
            #expect(sorted["reasonCode"] == "sort_invalid")
        }
    }

    @Test func anotherInstanceFindsFieldsThatItHasNotReadYet() async throws {
        try await RecordDatabase.with { database in
            let zone = try await Self.filled(database)
            let other = RecordClient(database: database).onAnotherInstance.database
            #expect(try await other.find("Photo", "n == 1").names == ["r1"])
            try await database.write(
                try database.request(zone, database.operation("create", "new", ["later": "yes"])))
            #expect(try await other.find("Photo", "later == 'yes'").names == ["new"])
        }
    }

    @Test func aRareValueUnderASortIsFoundByItsOwnIndex() async throws {
        try await RecordDatabase.with { database in
            let zone = try await Self.filled(database)
            _ = try await database.find("Photo", "n == 5", sorts: [Sort(.field("title"))])
            // Nearly all records have the same number.
            try await database.query(
                PostgresStatement(
                    """
                    insert into \(zone.database.environment.recordTable) (environment, zone, name, record_type, change_seq,
                        change_tag, fields, created_at, created_by, created_device, modified_at, modified_by, modified_device)
                    select environment, zone, 'more' || i, record_type, change_seq + i, 't',
                        jsonb_build_object('title', 'Title ' || i, 'n', 7), created_at, created_by, '2', modified_at,
                        modified_by, '2'
                    from \(zone.database.environment.recordTable), generate_series(100, 8000) as i where name = 'r29'
                    """))
            try await database.buildIndexes()
            let statistics = try await database.query("select stxname from pg_statistic_ext order by 1")
            #expect(statistics.count == 2)
            let rare = try Predicate(format: "n IN {5, 1000}", now: 0)
            let explained = try await database.ask(
                .recordsExplain,
                [
                    "query": [
                        "recordType": "Photo", "filterBy": [rare.json], "sortBy": [["fieldName": "title"]],
                    ], "zoneID": ["zoneName": "Z"],
                ])
            #expect((explained["rowsRead"]?.int ?? .max) < 100, "\(explained)")
        }
    }

    @Test func longPatternsAreDecidedInMemory() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            let long = String(repeating: "a", count: 100_000)
            try await database.write(
                try database.request(
                    zone, database.operation("create", "no", ["title": .string(long)]),
                    database.operation("create", "yes", ["title": .string(long + "b" + long)])))
            let part = String(repeating: "a", count: 16_000) + "b"
            #expect(try await database.find("Photo", "title CONTAINS %@", [.value(.string(part))]).names == ["yes"])
            let end = try await database.find(
                "Photo", "title ENDSWITH[c] %@", [.value(.string("B" + long.prefix(16_000)))])
            #expect(end.names == [])
            let pattern = "*" + String(repeating: "a", count: 2000)
            let like = try await database.find("Photo", "title LIKE %@", [.value(.string(pattern))])
            #expect(like["reasonCode"] == "predicate_too_large")
        }
    }

    @Test func workInMemoryEndsWhenItsTimeIsOverAndContinuesFromThere() async throws {
        try await RecordDatabase.with { database in
            _ = try await Self.filled(database)
            var store = database.store
            store.queryTime = .zero
            let hasty = RecordDatabase(pool: database.pool, superuser: database.superuser, store: store)
            var (names, marker, pages): ([String], String?, Int) = ([], nil, 0)
            repeat {
                let page = try await hasty.find("Photo", "title MATCHES 'Title [0-9]'", limit: 10, marker: marker)
                names += page.names
                marker = page["continuationMarker"]?.string
                pages += 1
            } while marker != nil && pages < 100
            #expect(names == (0..<10).map { "r\($0)" })
            #expect(pages >= 30)
        }
    }

    @Test func aRecordOfWhichMemoryCannotDecideInTimeStopsTheQuery() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            try await database.write(
                try database.request(
                    zone, database.operation("create", "a", ["title": .string("b")]),
                    database.operation("create", "b", ["title": .string(String(repeating: "a", count: 5_000))])))
            var store = database.store
            store.queryTime = .zero
            let hasty = RecordDatabase(pool: database.pool, superuser: database.superuser, store: store)
            let first = try await hasty.find("Photo", "title MATCHES '(a?){160}b'", limit: 10)
            #expect(first.names == ["a"])
            let marker = try #require(first["continuationMarker"]?.string)
            let second = try await hasty.find("Photo", "title MATCHES '(a?){160}b'", limit: 10, marker: marker)
            #expect(second["reasonCode"] == "query_too_expensive")
            #expect(try await database.find("Photo", "title MATCHES '(a?){160}b'", limit: 10).names == ["a"])
        }
    }

    @Test func onlyTheChildrenOfOneRecordAreFoundWithoutAnIndex() async throws {
        try await RecordDatabase.with { database in
            let zone = try await Self.filled(database)
            try await database.write(
                try database.request(zone, database.operation("create", "child", parent: "r1")))
            try await database.buildIndexes()
            var store = database.store
            store.limits.maxScannedRecords = 10
            let small = RecordDatabase(pool: database.pool, superuser: database.superuser, store: store)
            #expect(try await small.find("Photo", "parent == 'r1'").names == ["child"])
            #expect(try await small.find("Photo", "parent != nil")["reasonCode"] == "scan_too_large")
            #expect(try await small.find("Photo", "parent IN {'r1'}")["reasonCode"] == "scan_too_large")
            #expect(try await database.find("Photo", "parent IN {'r1'}").names == ["child"])
        }
    }

    @Test func aLongPatternAfterABeginningIsDecidedInMemory() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            let long = String(repeating: "a", count: 1000)
            try await database.write(
                try database.request(
                    zone, database.operation("create", "no", ["title": .string("x" + long)]),
                    database.operation("create", "yes", ["title": .string("x y" + long)])))
            let like = try Predicate(format: "title LIKE %@", [.value(.string("x*y" + long.prefix(900) + "*"))], now: 0)
            let body: JSONValue = [
                "query": ["recordType": "Photo", "filterBy": [like.json]], "zoneID": ["zoneName": "Z"],
            ]
            #expect(try await database.ask(.recordsQuery, body).names == ["yes"])
            #expect(try await database.ask(.recordsExplain, body)["decidedInMemory"] == true)
        }
    }
}
