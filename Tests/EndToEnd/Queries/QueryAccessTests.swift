import AMQPClient
import CloudKitModel
import CloudKitQuery
import CloudKitWire
import ServiceMessages
import TestSupport
import Testing

extension EndToEndTests.QueryTests {
    /// Users do not find records that they may not read, and do not learn how many there are.
    @Suite struct QueryAccessTests {
        private static let schema = """
            DEFINE SCHEMA
                RECORD TYPE Diary (n INT64 QUERYABLE SORTABLE, GRANT READ, WRITE TO "_creator", GRANT CREATE TO "_icloud");
                RECORD TYPE Ballot (n INT64 QUERYABLE SORTABLE, GRANT WRITE, CREATE TO "_icloud");
                RECORD TYPE Notice (n INT64 QUERYABLE SORTABLE, GRANT WRITE, CREATE, READ TO "_icloud");
            """

        private static func count(_ client: TestClient, _ type: String) async throws -> JSONValue? {
            let body = JSONValue.query(
                type, zone: nil,
                with: [.init("aggregates", [["function": "COUNT"], ["function": "SUM", "fieldName": "n"]])])
            let reply = try await client.ask(.recordsAggregate, body)
            return reply["results"]?[0]?["aggregates"].map { aggregates in
                .array((aggregates.array ?? []).map { $0["value"]?["value"] ?? nil })
            } ?? reply["serverErrorCode"]
        }

        @Test func recordsThatOnlyTheirCreatorMayReadAreFoundByTheCreatorOnly() async throws {
            let first = try await SharedStack.current.client().with(Header.database, "public").inNewContainer()
            try await first.deploy(Self.schema)
            let (second, third) = (first.asAnotherUser(), first.asAnotherUser())
            try await first.save((0..<5).map { .item("a\($0)", ["n": .int($0)], of: "Diary") }, zone: nil)
            try await second.save((0..<3).map { .item("b\($0)", ["n": 100], of: "Diary") }, zone: nil)
            for stage in ["unindexed", "indexed"] {
                for (client, names, sum) in [
                    (first, ["a0", "a1", "a2", "a3", "a4"], 10), (second, ["b0", "b1", "b2"], 300),
                ] {
                    for format in ["TRUEPREDICATE", "n >= 0", "n != -1", "NOT (n == -1)"] {
                        let found = try await client.find(format, of: "Diary", zone: nil)
                        #expect(found.body.recordNames == names, "\(stage): \(format)")
                    }
                    let other = client.user == first.user ? "b0" : "a0"
                    #expect(
                        try await client.find("recordID == %@", [.value(.string(other))], of: "Diary", zone: nil).body
                            .recordNames == [])
                    #expect(try await Self.count(client, "Diary") == [.int(Int64(names.count)), .int(Int64(sum))])
                }
                #expect(try await third.find(of: "Diary", zone: nil).body.recordNames == [])
                #expect(try await Self.count(third, "Diary") == [0, nil])
                try await first.untilIndexesAreReady()
            }
            // A caller who has not signed in has created no records.
            let nobody = first.with(Header.user, nil)
            #expect(try await nobody.find(of: "Diary", zone: nil).body.errorCode == "ACCESS_DENIED")
            #expect(try await nobody.find(of: "Notice", zone: nil).body.errorCode == "ACCESS_DENIED")
            #expect(try await first.find(of: "Notice", zone: nil).status == 200)
        }

        @Test(arguments: [ServiceMessages.Operation.recordsQuery, .recordsAggregate, .recordsExplain])
        func aQueryOfATypeThatNoUserMayReadIsRefused(_ operation: ServiceMessages.Operation) async throws {
            let client = try await SharedStack.current.client().with(Header.database, "public").inNewContainer()
            try await client.deploy(Self.schema)
            try await client.save([.item("a", ["n": 1], of: "Ballot")], zone: nil)
            let reply = try await client.ask(operation, .query("Ballot", zone: nil))
            #expect(reply.body.errorCode == "ACCESS_DENIED", "\(reply.body)")
            #expect(reply["reason"]?.string?.hasPrefix("READ operation not permitted") == true)
            #expect(reply["records"] == nil && reply["results"] == nil && reply["plan"] == nil)
        }

        @Test func aPrivateDatabaseIsSearchedByItsUserOnly() async throws {
            let owner = try await SharedStack.current.client().inNewContainer()
            let stranger = owner.asAnotherUser()
            try await owner.save([.item("secret", ["n": 1])])
            try await stranger.zones("create", "Z")
            try await stranger.save([.item("own", ["n": 1])])
            let everywhere = [JSONValue.Member("zoneWide", true)]
            for format in ["TRUEPREDICATE", "n == 1", "recordID == 'secret' OR n == 1", "self CONTAINS 'x' OR n == 1"] {
                #expect(try await stranger.find(format).body.recordNames == ["own"])
                #expect(try await stranger.find(format, zone: nil, with: everywhere).body.recordNames == ["own"])
            }
            let theirs: JSONValue = ["zoneName": "Z", "ownerRecordName": .string(owner.user)]
            for operation in [ServiceMessages.Operation.recordsQuery, .recordsAggregate, .recordsExplain] {
                let reply = try await stranger.ask(operation, .query(zone: nil, with: [.init("zoneID", theirs)]))
                #expect(reply.status >= 400, "\(operation): \(reply.body)")
                #expect(["ACCESS_DENIED", "ZONE_NOT_FOUND"].contains(reply.body.errorCode ?? ""))
            }
            let production = owner.with(Header.environment, "production")
            #expect(try await production.find(zone: nil).body.recordNames == [])
            let open = owner.with(Header.database, "public")
            #expect(try await open.find(zone: nil, with: everywhere).body.recordNames == [])
        }
    }
}
