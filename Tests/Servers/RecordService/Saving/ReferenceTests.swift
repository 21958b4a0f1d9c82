import CloudKitModel
import CloudKitWire
import PostgresClient
import Testing

@testable import RecordService
@testable import RecordStorage

/// References and parents (semantics 4.4, 4.5, 5), and the number of statements that they take.
@Suite(.enabled(if: RecordDatabase.serverURL != nil), .timeLimit(.minutes(5)))
struct ReferenceTests {
    private static func reference(_ target: String, _ action: String = "DELETE_SELF") -> JSONValue {
        RecordDatabase.reference(target, action)
    }

    @Test(arguments: ["a", "b"])
    func aRecordGoesWithAnyOfItsTargets(deleted: String) async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            let targets: JSONValue = [Self.reference("a"), Self.reference("b")]
            #expect(
                try await database.outcomes(
                    zone, database.operation("create", "c", ["owners": targets]), database.operation("create", "a"),
                    database.operation("create", "b"), atomic: true) == ["saved", "saved", "saved"])
            let before = try await database.feed()
            // Owners come before the records that they own, regardless of the order of the request.
            #expect(before.names == ["a", "b", "c"])
            #expect(try await database.outcomes(zone, database.operation("delete", deleted)) == ["deleted"])
            #expect(try await database.feed(since: before.token).names == ["-\(deleted)", "-c"])
            #expect(try await database.found(["a", "b", "c"]) == ["a", "b"].filter { $0 != deleted })
            #expect(try await database.links() == [])
        }
    }

    @Test func aCascadeFollowsChainsAndCircles() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            let names = (0..<20).map { "r\($0)" }
            for (index, name) in names.enumerated() {
                let owner = index == 0 ? "r9" : "r\(index - 1)"
                #expect(
                    try await database.outcomes(
                        zone, database.operation("create", name, ["owner": Self.reference(owner)])) == ["saved"])
            }
            #expect(try await database.outcomes(zone, database.operation("forceDelete", "r5")) == ["deleted"])
            #expect(try await database.found(names) == [])
            #expect(try await database.links() == [])
        }
    }

    @Test func aReferenceThatWasTakenAwayPullsNothingAlong() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            _ = try await database.outcomes(
                zone, database.operation("create", "a"), database.operation("create", "b"),
                database.operation("create", "c", ["owner": Self.reference("a"), "title": "kept"]),
                database.operation("create", "d", ["owner": Self.reference("a")]))
            // In one request, one record gets another reference, and the other loses its field because it is replaced.
            #expect(
                try await database.outcomes(
                    zone, database.operation("delete", "a"),
                    database.operation("update", "c", ["owner": Self.reference("b")]),
                    database.operation("replace", "d"), atomic: true) == ["deleted", "saved", "saved"])
            #expect(try await database.found(["a", "b", "c", "d"]) == ["b", "c", "d"])
            #expect(try await database.links() == ["c.owner>b"])
        }
    }

    @Test func aSaveThatPointsToWhatTheRequestDeletesGoesWithIt() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            _ = try await database.outcomes(zone, database.operation("create", "a"), database.operation("create", "c"))
            let before = try await database.feed()
            #expect(
                try await database.outcomes(
                    zone, database.operation("delete", "a"),
                    database.operation("update", "c", ["owner": Self.reference("a")])) == ["deleted", "saved"])
            #expect(try await database.feed(since: before.token).names == ["-a", "-c"])
        }
    }

    @Test func parentsAreThereAndStay() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            #expect(
                try await database.outcomes(zone, database.operation("create", "child", parent: "parent"))
                    == ["reference_target_missing"])
            #expect(
                try await database.outcomes(
                    zone, database.operation("create", "child", parent: "parent"),
                    database.operation("create", "parent"), atomic: true) == ["saved", "saved"])
            #expect(try await database.feed().names == ["parent", "child"])
            #expect(
                try await database.outcomes(zone, database.operation("delete", "parent")) == ["record_still_referenced"]
            )
            #expect(
                try await database.outcomes(
                    zone, database.operation("delete", "parent"), database.operation("update", "child", ["n": 1]),
                    atomic: true) == ["record_still_referenced", "atomic_failure"])
            #expect(
                try await database.outcomes(
                    zone, database.operation("delete", "parent"), database.operation("delete", "child"))
                    == ["deleted", "deleted"])
        }
    }

    @Test func aSaveThatFailsHoldsNothing() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            _ = try await database.outcomes(zone, database.operation("create", "root"))
            #expect(
                try await database.outcomes(
                    zone, database.operation("create", "child", parent: "root"), database.operation("delete", "root"))
                    == ["reference_target_missing", "deleted"])
        }
    }

    @Test func validatedTargetsAreThereAndStay() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            let holder = database.operation("create", "h", ["on": Self.reference("t", "VALIDATE")])
            #expect(try await database.outcomes(zone, holder) == ["reference_target_missing"])
            #expect(
                try await database.outcomes(zone, holder, database.operation("create", "t")) == ["saved", "saved"])
            #expect(try await database.outcomes(zone, database.operation("delete", "t")) == ["record_still_referenced"])
            // A target that would be deleted with its owner is protected too.
            _ = try await database.outcomes(
                zone, database.operation("create", "o"),
                database.operation("update", "t", ["owner": Self.reference("o")]))
            #expect(try await database.outcomes(zone, database.operation("delete", "o")) == ["record_still_referenced"])
            #expect(
                try await database.outcomes(
                    zone, database.operation("update", "h", ["on": .null]), database.operation("delete", "o"))
                    == ["saved", "deleted"])
            #expect(try await database.found(["h", "t", "o"]) == ["h"])
        }
    }

    @Test func operationsThatDependOnAFailedOneFail() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            _ = try await database.outcomes(zone, database.operation("create", "taken"))
            #expect(
                try await database.outcomes(
                    zone, database.operation("create", "c", parent: "b"),
                    database.operation("create", "b", parent: "a"), database.operation("create", "a", parent: "none"),
                    database.operation("create", "d"), database.operation("create", "taken"))
                    == [
                        "reference_target_missing", "reference_target_missing", "reference_target_missing", "saved",
                        "record_exists",
                    ])
            #expect(try await database.found(["a", "b", "c", "d"]) == ["d"])
        }
    }

    @Test func ownersNeedNotBeThereUnlessTheInterfaceWantsIt() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            let save = database.operation("create", "c", ["owner": Self.reference("later")])
            #expect(
                try await database.outcomes(zone, save, checksOwners: true) == ["reference_target_missing"])
            #expect(try await database.outcomes(zone, save) == ["saved"])
            // When the owner is created and then deleted, the record is deleted with it.
            _ = try await database.outcomes(zone, database.operation("create", "later"))
            _ = try await database.outcomes(zone, database.operation("delete", "later"))
            #expect(try await database.found(["c"]) == [])
        }
    }

    @Test func aRecordHasALimitedNumberOfOwnedOnes() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            var limits = Limits()
            limits.maxOwningReferences = 3
            func owned(_ name: String) -> JSONValue { database.operation("create", name, ["o": Self.reference("a")]) }
            #expect(
                try await database.outcomes(zone, database.operation("create", "a"), owned("b"), limits: limits)
                    == ["saved", "saved"])
            #expect(
                try await database.outcomes(zone, owned("c"), owned("d"), owned("e"), limits: limits)
                    == ["saved", "saved", "too_many_owning_references"])
            // A deleted record makes room, and so does one that refers to another target.
            #expect(
                try await database.outcomes(
                    zone, database.operation("delete", "b"), limits: limits) == ["deleted"])
            #expect(try await database.outcomes(zone, owned("e"), limits: limits) == ["saved"])
            #expect(
                try await database.outcomes(
                    zone, database.operation("update", "c", ["n": 1]), limits: limits) == ["saved"])
        }
    }

    @Test func roomIsMadeInTheSameRequest() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            var limits = Limits()
            limits.maxOwningReferences = 2
            func owned(_ name: String, _ others: String...) -> JSONValue {
                database.operation(
                    "forceUpdate", name, ["o": .array((["a"] + others).map { Self.reference($0) })])
            }
            _ = try await database.outcomes(
                zone, database.operation("create", "a"), database.operation("create", "b"), owned("c", "b"),
                owned("d"), limits: limits)
            #expect(
                try await database.outcomes(
                    zone, owned("e"), database.operation("delete", "c"), atomic: true, limits: limits)
                    == ["saved", "deleted"])
            // A record that is deleted by a cascade makes room too.
            _ = try await database.outcomes(zone, owned("d", "b"), limits: limits)
            #expect(
                try await database.outcomes(
                    zone, owned("f"), database.operation("delete", "b"), atomic: true, limits: limits)
                    == ["saved", "deleted"])
            #expect(try await database.outcomes(zone, owned("g"), limits: limits) == ["too_many_owning_references"])
        }
    }

    @Test func aHolderIsFoundBehindManyThatGo() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            var limits = Limits()
            limits.maxCascade = 1
            limits.maxOperationsPerRequest = 4
            _ = try await database.outcomes(zone, database.operation("create", "p"))
            for name in ["c1", "c2", "c3", "c4"] {
                _ = try await database.outcomes(zone, database.operation("create", name, parent: "p"))
            }
            let goers = ["p", "c1", "c2", "c3"].map { database.operation("delete", $0) }
            #expect(
                try await database.outcomes(zone, goers[0], goers[1], goers[2], goers[3], limits: limits)
                    == ["record_still_referenced", "deleted", "deleted", "deleted"])
        }
    }

    @Test func namesThatLookTheSameAreTwo() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            let (one, other) = ("caf\u{E9}", "cafe\u{301}")
            let first = try database.request(zone, database.operation("forceUpdate", one, ["n": 1]))
            let second = try database.request(zone, database.operation("forceUpdate", other, ["n": 2]))
            _ = try await database.write(first, second)
            let rows = try await database.query("select count(*) from record.record where fields is not null")
            #expect(rows.first?.int64(0) == 2)
        }
    }

    @Test func referencesStayInTheirZone() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            for (zoneID, expected): (JSONValue, String) in [
                (["zoneName": "Other"], "reference_leaves_zone"),
                (
                    ["zoneName": "Z", "ownerRecordName": .string("_" + String(repeating: "f", count: 32))],
                    "reference_leaves_zone"
                ),
                (["zoneName": "Z", "ownerRecordName": "__defaultOwner__"], "saved"), (["zoneName": "Z"], "saved"),
            ] {
                let reference: JSONValue = ["recordName": "t", "action": "NONE", "zoneID": zoneID]
                #expect(
                    try await database.outcomes(zone, database.operation("forceUpdate", "a", ["to": reference]))
                        == [expected])
            }
        }
    }
}
