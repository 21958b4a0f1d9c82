import CloudKitModel
import CloudKitQuery
import CloudKitWire
import PostgresClient
import ServiceMessages
import Testing

import struct Foundation.Data

@testable import RecordService
@testable import RecordStorage

/// What participants cannot learn from queries, aggregations and explanations.
@Suite(.enabled(if: RecordDatabase.serverURL != nil), .timeLimit(.minutes(5)))
struct SharedQueryPrivacyTests {
    /// `list` with `a` and `b` is shared by `S`, and `box` is shared by `B`. `list` is below the hidden `home`, and `box` is
    /// below the hidden `attic`. `b` reads both.
    private static func plant(
        _ database: RecordDatabase, whole: Bool = false
    ) async throws -> (zone: ZoneEntry, reader: SharedReader) {
        let zone = try await database.zone()
        func record(_ name: String, below parent: String? = nil) -> JSONValue {
            database.operation("create", name, ["title": "Some title"], parent: parent)
        }
        try await database.save(zone, record("home"), record("attic"))
        try await database.save(
            zone, record("list", below: "home"), record("a", below: "list"), record("b", below: "list"),
            record("box", below: "attic"))
        let reader = SharedReader(database, "b")
        let readers = [RecordDatabase.participant(reader.user, "READ_ONLY")]
        if whole {
            try await database.save(
                zone, database.share("create", "cloudkit.zoneshare", of: nil, participants: readers))
            try await reader.accept("cloudkit.zoneshare", in: zone)
        } else {
            for (share, root) in [("S", "list"), ("B", "box")] {
                try await database.save(zone, database.share("create", share, of: root, participants: readers))
                try await reader.accept(share, in: zone)
            }
        }
        // The times of the last changes are in this order in every test.
        try await Self.move("list", below: "home", in: zone, of: database)
        return (zone, reader)
    }

    private static func move(
        _ name: String, below parent: String?, in zone: ZoneEntry, of database: RecordDatabase
    ) async throws {
        var record: [JSONValue.Member] = [.init("recordName", .string(name)), .init("recordType", "Photo")]
        record.append(.init("parent", parent.map { ["recordName": .string($0)] } ?? .null))
        try await database.save(zone, ["operationType": "forceUpdate", "record": .object(record)])
    }

    private static func reference(_ name: String) -> FieldValue {
        .reference(Reference(recordName: RecordName(unchecked: name)))
    }

    /// The comparisons of a system field with hidden and visible names.
    private static func predicates(of key: SystemKey) throws -> [(label: String, predicate: Predicate)] {
        guard key != .createdTimestamp, key != .modifiedTimestamp else { return [] }
        func one(_ test: CloudKitQuery.Test) -> Predicate { .comparison(Comparison(.system(key), .value, test)) }
        // The comparison of a text by a regular expression is evaluated in memory.
        let inMemory = try Predicate(format: "title MATCHES 'Some .*'", now: 0)
        var tests: [(String, CloudKitQuery.Test)] = [("exists", .exists)]
        for name in ["home", "attic", "list", "nosuch"] {
            tests.append(("== \(name)", .relation(.equal, reference(name))))
            tests.append(("!= \(name)", .relation(.notEqual, reference(name))))
        }
        var predicates: [(label: String, predicate: Predicate)] = []
        for (label, test) in tests {
            let predicate = one(test)
            predicates.append((label, predicate))
            predicates.append(("not \(label)", .not(predicate)))
            predicates.append(("\(label) in memory", .and([predicate, inMemory])))
            predicates.append(("not \(label) in memory", .and([.not(predicate), inMemory])))
        }
        return predicates
    }

    private static func body(_ predicate: Predicate, _ rest: JSONValue.Member...) -> [JSONValue.Member] {
        [.init("query", ["recordType": "Photo", "filterBy": [predicate.json]])] + rest
    }

    /// What a user sees of the records through one system field, one line for each question.
    private static func seen(by reader: SharedReader, through key: SystemKey) async throws -> [String] {
        let zone = SharedReader.zoneID("Z")
        var seen: [String] = []
        func code(_ answer: JSONValue) -> String { answer["reasonCode"]?.string ?? "" }
        for (label, predicate) in try Self.predicates(of: key) {
            let found = try await reader.find(predicate: predicate)
            seen.append("\(label): \(found.names.sorted()) \(code(found))")
            let counted = try await reader.run(.recordsAggregate, zone: zone, with: Self.body(predicate))
            seen.append("\(label): \(counted["results"]?[0]?["aggregates"]?.written ?? code(counted))")
            let told = try await reader.run(.recordsExplain, zone: zone, with: Self.body(predicate))
            let rows: [Int64] = [told["rowsReturned"]?.int ?? -1, told["rowsRead"]?.int ?? -1]
            seen.append("\(label): \(rows) \(code(told))")
        }
        for ascending in [true, false] {
            var (names, marker, markers) = ([String](), String?.none, 0)
            repeat {
                let page = try await reader.find(
                    sorts: [Sort(.system(key), ascending: ascending)], limit: 1, marker: marker)
                names += page.names
                marker = page["continuationMarker"]?.string
                if let marker {
                    let bytes = try #require(Data(base64Encoded: marker))
                    markers += 1
                    let text = String(decoding: bytes, as: UTF8.self)
                    #expect(!text.contains("home") && !text.contains("attic"))
                }
            } while marker != nil
            seen.append("sort \(ascending): \(names) \(markers)")
        }
        for function in ["COUNT", "MIN", "MAX"] {
            let item: JSONValue = ["function": .string(function), "systemFieldName": .string(key.rawValue)]
            let answer = try await reader.run(.recordsAggregate, zone: zone, with: [.init("aggregates", [item])])
            guard function == "COUNT" || key != .modifiedTimestamp else { continue }
            seen.append("\(function): \(answer["results"]?.written ?? code(answer))")
        }
        let groups = try await reader.run(
            .recordsAggregate, zone: zone, with: [.init("groupBy", ["systemFieldName": .string(key.rawValue)])])
        if key != .modifiedTimestamp { seen.append("groups: \(groups["results"]?.written ?? code(groups))") }
        return seen
    }

    @Test(arguments: SystemKey.allCases)
    func noQueryDependsOnTheParentOfARoot(key: SystemKey) async throws {
        try await RecordDatabase.with { database in
            let (zone, reader) = try await Self.plant(database)
            for isBuilt in [false, true] {
                if isBuilt { try await database.buildIndexes() }
                let before = try await Self.seen(by: reader, through: key)
                for parent in ["attic", nil, "home"] {
                    try await Self.move("list", below: parent, in: zone, of: database)
                    let seen = try await Self.seen(by: reader, through: key)
                    #expect(seen == before, "\(parent ?? "none")")
                    #expect(!seen.contains { $0.contains("\"home\"") || $0.contains("\"attic\"") })
                }
            }
        }
    }

    @Test func aRootHasNoParentForParticipants() async throws {
        try await RecordDatabase.with { database in
            let (_, reader) = try await Self.plant(database)
            func find(_ test: CloudKitQuery.Test) async throws -> [String] {
                let predicate = Predicate.comparison(Comparison(.system(.parent), .value, test))
                let found = try await reader.find(predicate: predicate).names.sorted()
                let large = Predicate.and([predicate, try Predicate(format: "title MATCHES '.*'", now: 0)])
                #expect(try await reader.find(predicate: large).names.sorted() == found)
                return found
            }
            #expect(try await find(.relation(.equal, Self.reference("home"))) == [])
            #expect(try await find(.relation(.equal, Self.reference("list"))) == ["a", "b"])
            #expect(try await find(.relation(.notEqual, Self.reference("home"))) == ["a", "b"])
            #expect(try await find(.exists) == ["a", "b"])
            let groups = try await reader.run(
                .recordsAggregate, zone: SharedReader.zoneID("Z"),
                with: [.init("groupBy", ["systemFieldName": "parent"])])
            let counts = (groups["results"]?.array ?? []).map {
                ($0["group"]?["value"]?["recordName"]?.string, $0["aggregates"]?[0]?["value"]?["value"]?.int)
            }
            #expect(counts.map { $0.0 } == ["list", nil] && counts.map { $0.1 } == [2, 2], "\(groups)")
            // The owner sees and finds every parent.
            let owner = try await database.find(
                Query(
                    recordType: "Photo",
                    predicate: .comparison(
                        Comparison(.system(.parent), .value, .relation(.equal, Self.reference("home"))))),
                QueryScope(zoneID: ZoneID(zoneName: "Z")))
            #expect(owner.names == ["list"])
        }
    }

    @Test func aLargeShareHidesTheParentOfItsRoot() async throws {
        try await RecordDatabase.with { database in
            let (_, reader) = try await Self.plant(database)
            try await database.buildIndexes()
            var limits = Limits()
            limits.maxScannedRecords = 3
            func find(_ name: String) async throws -> [String] {
                let predicate = Predicate.comparison(
                    Comparison(.system(.parent), .value, .relation(.equal, Self.reference(name))))
                return try await reader.find(predicate: predicate, limits: limits).names.sorted()
            }
            #expect(try await find("home") == [])
            #expect(try await find("list") == ["a", "b"])
        }
    }

    @Test(arguments: [false, true])
    func noQueryShowsWhoLastJoinedAShare(whole: Bool) async throws {
        try await RecordDatabase.with { database in
            let (zone, reader) = try await Self.plant(database, whole: whole)
            let share = whole ? "cloudkit.zoneshare" : "S"
            let tag = try await database.tag(share, in: zone)
            try await database.save(
                zone, database.share("update", share, of: nil, tag: tag, permission: "READ_ONLY"))
            let link = try #require(try await database.record(share, in: zone)["shortGUID"]?.string)
            let (c, d) = (SharedReader(database, "c"), SharedReader(database, "d"))
            for user in [c, d] {
                _ = try await database.links(.recordsAccept, ["value": .string(link)], by: user.user)
            }
            #expect(try await database.record(share, in: zone)["modified"]?["userRecordName"]?.string == d.user)
            let type = RecordTypeName.share.rawValue
            for user in [reader, c] {
                for name in [d.user, c.user] {
                    let predicate = Predicate.comparison(
                        Comparison(
                            .system(.modifiedUserRecordName), .value, .relation(.equal, Self.reference(name))))
                    let query: JSONValue = ["recordType": .string(type), "filterBy": [predicate.json]]
                    for operation in [.recordsQuery, .recordsAggregate, .recordsExplain] as [ServiceMessages.Operation]
                    {
                        let answer = try await user.run(
                            operation, zone: SharedReader.zoneID("Z"), with: [.init("query", query)])
                        #expect(answer["ckErrorCode"] == 12, "\(operation): \(answer)")
                    }
                }
                let sorts = [Sort(.system(.modifiedUserRecordName), ascending: true)]
                #expect(try await user.find(type: type, sorts: sorts, limit: 1)["ckErrorCode"] == 12)
                let key: JSONValue = ["systemFieldName": "modifiedUserRecordName"]
                let counted: JSONValue = ["function": "COUNT", "systemFieldName": "modifiedUserRecordName"]
                for rest in [JSONValue.Member("groupBy", key), .init("aggregates", [counted])] {
                    let answer = try await user.run(
                        .recordsAggregate, zone: SharedReader.zoneID("Z"), type, with: [rest])
                    #expect(answer["ckErrorCode"] == 12, "\(answer)")
                }
                // Everything else can be queried.
                #expect(try await user.find(type: type).names.contains(share))
                for key in SystemKey.allCases where key != .modifiedUserRecordName {
                    #expect(
                        try await user.find(type: type, sorts: [Sort(.system(key), ascending: true)])["ckErrorCode"]
                            == nil, "\(key)")
                }
            }
            let owner = try await database.find(type, sorts: [Sort(.system(.modifiedUserRecordName), ascending: true)])
            #expect(owner.names.contains(share), "\(owner)")
        }
    }
}

extension JSONValue {
    fileprivate var written: String { String(decoding: encoded(), as: UTF8.self) }
}
