import CloudKitModel
import CloudKitQuery
import CloudKitSchema
import CloudKitWire
import PostgresClient
import ServiceMessages
import Testing

@testable import RecordService
@testable import RecordStorage

/// `interests.set`: the answers, and the time from which an interest has its effect.
@Suite(.enabled(if: RecordDatabase.serverURL != nil), .timeLimit(.minutes(10)))
struct InterestTests {
    @Test func eachQueryIsAnsweredByItselfInOrder() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            try await database.write(
                database.request(zone, database.operation("create", "a", ["title": "x", "n": 1])))
            let answer = try await database.ask(
                .interestsSet,
                [
                    "queries": [
                        RecordDatabase.query(
                            "Photo", RecordDatabase.filter("BEGINS_WITH", "title", "a"),
                            RecordDatabase.filter("GREATER_THAN", "n", 5), zone: "Z"),
                        RecordDatabase.query("Nothing"),
                        RecordDatabase.query("Photo", RecordDatabase.filter("EQUALS", "nowhere", 1)),
                        RecordDatabase.query("Photo", RecordDatabase.filter("EQUALS", "n", "text")),
                        RecordDatabase.query("Photo", ["comparator": "SOUNDS_LIKE", "fieldName": "title"]),
                        RecordDatabase.query("Photo", zone: "Elsewhere"),
                        RecordDatabase.query("Users"),
                        ["query": ["filterBy": []]],
                        RecordDatabase.query(),
                    ]
                ])
            let interests = try #require(answer["interests"]?.array, "\(answer)")
            let predicates = interests.map { $0["predicate"]?.string }
            #expect(predicates.map { $0 != nil } == [true] + Array(repeating: false, count: 7) + [true])
            let expected = try Predicate(format: "title BEGINSWITH 'a' AND n > 5", now: 0)
            #expect(try Predicate(format: try #require(predicates[0]), now: 0) == expected)
            #expect(predicates[8] == "TRUEPREDICATE")
            #expect(interests[0]["ownOnly"] == false)
            #expect(
                interests.map { $0["reasonCode"]?.string } == [
                    nil, "record_type_not_found", "field_not_found", interests[3]["reasonCode"]?.string,
                    "unknown_comparator", "zone_not_found", "type_not_queryable", interests[7]["reasonCode"]?.string,
                    nil,
                ])
            #expect(interests[3]["serverErrorCode"] == "BAD_REQUEST")
            #expect(interests[3]["field"] == "n")
            #expect(interests[7]["serverErrorCode"] == "BAD_REQUEST")
            #expect(interests[1]["recordType"] == "Nothing")
            #expect(interests[5]["recordType"] == "Photo")
            #expect(answer["rights"]?.int != nil)
        }
    }

    @Test func theBodyIsCheckedAsAWhole() async throws {
        try await RecordDatabase.with { database in
            #expect(try await database.ask(.interestsSet, [:])["serverErrorCode"] == "BAD_REQUEST")
            let tooMany = database.store.limits.maxOperationsPerRequest + 1
            let many = Array(repeating: RecordDatabase.query(), count: tooMany)
            let refused = try await database.ask(.interestsSet, ["queries": .array(many)])
            #expect(refused["reasonCode"] == "limit_exceeded")
        }
    }

    @Test func aPredicateThatIsTooLongToBeKeptIsRefused() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            try await database.write(database.request(zone, database.operation("create", "a", ["title": "x"])))
            let text = JSONValue.string(String(repeating: "y", count: 9000))
            let filter = RecordDatabase.filter("NOT_EQUALS", "title", text)
            let answer = try await database.ask(
                .interestsSet,
                ["queries": [RecordDatabase.query("Photo", filter), RecordDatabase.query("Photo", filter, filter)]])
            #expect(answer["interests"]?[0]?["predicate"] != nil)
            let refused = try #require(answer["interests"]?[1])
            #expect(refused["reasonCode"] == "predicate_too_large")
            #expect(refused["field"] == "filterBy")
            #expect(refused["limit"] == 16_384)
            #expect(refused["actual"]?.int ?? 0 > 18_000)
        }
    }

    @Test func inThePublicDatabaseItIsAskedWhoMayRead() async throws {
        try await RecordDatabase.with { database in
            let owner = RecordClient(database: database, scope: "public")
            func grants(_ grants: GrantDefinition...) -> RecordTypeDefinition {
                RecordTypeDefinition(
                    name: "Note", fields: [FieldDefinition(name: "n", type: .string)], grants: grants)
            }
            func ask() async throws -> (interest: JSONValue, rights: Int64) {
                let answer = try await owner.ask(.interestsSet, ["queries": [RecordDatabase.query("Note")]])
                return (try #require(answer["interests"]?[0]), try #require(answer["rights"]?.int))
            }
            try await owner.replaceSchema(
                with: SchemaDefinition(recordTypes: [grants(GrantDefinition(role: "_world", permissions: .read))]))
            let everybody = try await ask()
            #expect(everybody.interest["ownOnly"] == false)
            try await owner.replaceSchema(
                with: SchemaDefinition(recordTypes: [grants(GrantDefinition(role: "_creator", permissions: .read))]))
            let creators = try await ask()
            #expect(creators.interest["ownOnly"] == true)
            #expect(creators.rights > everybody.rights)
            #expect(try await ask().rights == creators.rights)
            try await owner.replaceSchema(with: SchemaDefinition(recordTypes: [grants()]))
            let nobody = try await ask()
            #expect(nobody.interest["serverErrorCode"] == "ACCESS_DENIED")
            #expect(nobody.interest["recordType"] == "Note")
            #expect(nobody.rights > creators.rights)
            let mine = try await owner.with { $0.scope = "private" }.ask(
                .interestsSet, ["queries": [RecordDatabase.query("Note")]])
            #expect(mine["interests"]?[0]?["ownOnly"] == false)
        }
    }

    @Test func anEventCarriesTheNumberOfTheRights() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            func save() async throws -> Int64? {
                try await database.write(database.request(zone, database.operation("forceUpdate", "a", ["n": 1])))
                    .events.first?.rights
            }
            let before = try #require(try await save())
            let answered = try await database.watch()["rights"]?.int
            #expect(answered == before)
            #expect(try await save() == before)
            try await RecordClient(database: database).importSchema(
                #"DEFINE SCHEMA RECORD TYPE Photo (n INT64, GRANT WRITE TO "_creator");"#)
            let after = try #require(try await save())
            #expect(after > before)
            #expect(try await database.log(of: zone).flatMap { $0 }.map(\.rights) == [after, after, after])
            try await database.forgetLog()
            #expect(try await database.log(of: zone).flatMap { $0 }.map(\.rights) == [after])
        }
    }

    /// A reset removes the type but not the interest. When the type is created again, it is watched from its first
    /// record on.
    @Test func aResetKeepsTheInterestAndChangesTheNumber() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            try await database.write(database.request(zone, database.operation("create", "a", ["n": 1])))
            let before = try #require(try await database.watch()["rights"]?.int)
            _ = try await RecordClient(database: database).operate(.schemaReset)
            let again = try await database.zone()
            let events = try await database.write(
                database.request(again, database.operation("create", "a", ["n": 1]))
            ).events
            #expect(try events.first?.changedRecords()?.first?.record != nil)
            #expect(try #require(events.first?.rights) > before)
        }
    }

    /// When the request is answered, all writes that began without the interest have committed. Later writes know the
    /// interest.
    @Test func anAnswerWaitsForThoseWhoBeganBefore() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            try await database.write(database.request(zone, database.operation("create", "a", ["n": 1])))
            let environment = zone.database.environment
            let request = try database.request(zone, database.operation("create", "b", ["n": 1]))
            try await withThrowingTaskGroup(of: Void.self) { group in
                try await database.superuser.withTransaction { connection in
                    _ = try await connection.pipeline(SchemaStore.enter([environment]))
                    group.addTask { try await database.watch() }
                    try await database.wait(for: RecordDatabase.waiting)
                    // A write that begins in the meantime is postponed.
                    let early = try await database.attempt(request)
                    #expect(early.skipped == [zone.row] && early.answered.isEmpty)
                    group.addTask { try await database.write(request) }
                }
                try await group.waitForAll()
            }
            let values = try await database.logged(zone).map { "\($0.name) \($0.record == nil ? "-" : "+")" }
            #expect(values == ["a -", "b +"])
        }
    }

    @Test func anotherInstanceThatRemembersTheSchemaLogsValuesToo() async throws {
        try await RecordDatabase.with { one in
            let other = RecordClient(database: one).onAnotherInstance.database
            let zone = try await one.zone()
            try await other.write(other.request(zone, other.operation("create", "a", ["n": 1])))
            try await one.watch()
            try await other.write(other.request(zone, other.operation("create", "b", ["n": 2])))
            let logged = try await one.logged(zone)
            #expect(logged.map { $0.record?.value("n") } == [nil, 2])
        }
    }
}
