import AMQPClient
import CloudKitWire
import ServiceMessages
import TestSupport
import Testing

extension EndToEndTests {
    @Suite(.sharedStack, .timeLimit(.minutes(2))) struct ContainerAndZoneTests {
        @Test func containerIsMadeOnceWithBothEnvironments() async throws {
            let client = try SharedStack.current.client()
            let name = JSONValue.string("com.example.\(client.user.dropFirst())")
            let first = try await client.ask(.containersCreate, ["container": name])
            let second = try await client.ask(.containersCreate, ["container": name])
            #expect(first.status == 200)
            #expect(first["created"] == true)
            #expect(first["environments"] == ["development", "production"])
            #expect(second["created"] == false)
            let listed = try await client.ask(.containersList)
            #expect(listed["containers"]?.array?.contains { $0["container"] == name } == true)
        }

        @Test func deletedContainerIsGoneWithItsRecords() async throws {
            let client = try SharedStack.current.client()
                .with(Header.container, .string("com.example.deleted"))
            try await client.zones("create", "Notes")
            try await client.save("Notes", "a", ["n": 1])
            let deleted = try await client.ask(.containersDelete, ["container": "com.example.deleted"])
            #expect(deleted["deleted"] == true)
            let again = try await client.ask(.containersDelete, ["container": "com.example.deleted"])
            #expect(again.body.reasonCode == "container_not_found")
            // In development, containers are created on first use here. The look-up therefore creates the container
            // again, without zones.
            let lookup = try await client.ask(
                .recordsLookup, ["zoneID": .zone("Notes"), "records": [["recordName": "a"]]])
            #expect(lookup.body.errorCode == "ZONE_NOT_FOUND")
        }

        /// The deletion of a container during a reset of its schema once crashed the service.
        @Test func aDeletionAndResetsOfOneContainerMayMeet() async throws {
            let client = try SharedStack.current.client()
            let name = JSONValue.string("com.example.\(client.user.dropFirst())")
            for _ in 0..<15 {
                _ = try await client.ask(.containersCreate, ["container": name])
                let answers = try await withThrowingTaskGroup(of: TestReply.self) { group in
                    for _ in 0..<6 { group.addTask { try await client.ask(.schemaReset, ["container": name]) } }
                    group.addTask { try await client.ask(.containersDelete, ["container": name]) }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                let unexpected = answers.filter { $0.status != 200 && $0.body.reasonCode != "container_not_found" }
                #expect(unexpected.isEmpty)
            }
        }

        @Test func zonesAreMadeListedLookedUpAndDeleted() async throws {
            let client = try SharedStack.current.client()
            let made = try await client.zones("create", "Notes", "Drafts")
            #expect(made.map { $0["zoneID"]?["zoneName"]?.string } == ["Notes", "Drafts"])
            #expect(made.allSatisfy { $0["zoneID"]?["ownerRecordName"]?.string == client.user })
            #expect(made.allSatisfy { $0["zoneID"]?["zoneType"] == "REGULAR_CUSTOM_ZONE" && $0["atomic"] == true })
            #expect(made.allSatisfy { $0.syncToken != nil })

            let listed = try await client.ask(.zonesList)
            #expect(listed.body.zoneNames == ["_defaultZone", "Drafts", "Notes"])
            #expect(listed["zones"]?[0]?["zoneID"]?["zoneType"] == "DEFAULT_ZONE")

            let deleted = try await client.zones("delete", "Drafts")
            #expect(deleted.first?["deleted"] == true)
            let lookup = try await client.ask(
                .zonesLookup, ["zones": [["zoneName": "Notes"], ["zoneName": "Drafts"], ["zoneName": "_defaultZone"]]])
            #expect(lookup.status == 200)
            #expect(lookup["zones"]?.array?.map(\.errorCode) == [nil, "ZONE_NOT_FOUND", nil])
            #expect(lookup["zones"]?[1]?["ckErrorCode"] == 26)
        }

        @Test func makingAZoneThatExistsIsHarmless() async throws {
            let client = try SharedStack.current.client()
            try await client.zones("create", "Notes")
            try await client.save("Notes", "a", ["n": 1])
            let again = try await client.zones("create", "Notes")
            #expect(again.first?.errorCode == nil)
            #expect(try await client.record("Notes", "a").values == ["n": 1])
        }

        @Test func deletedZoneTakesItsRecordsAlongAndComesBackEmpty() async throws {
            let client = try SharedStack.current.client()
            try await client.zones("create", "Notes")
            try await client.save("Notes", "a", ["n": 1])
            try await client.zones("delete", "Notes")
            let lookup = try await client.ask(
                .recordsLookup, ["zoneID": .zone("Notes"), "records": [["recordName": "a"]]])
            #expect(lookup.status == 404)
            #expect(lookup.body.errorCode == "ZONE_NOT_FOUND")
            try await client.zones("create", "Notes")
            #expect(try await client.record("Notes", "a").errorCode == "NOT_FOUND")
            #expect(try await client.changes("Notes").recordNames == [])
        }

        @Test func defaultZoneCannotBeDeleted() async throws {
            let client = try SharedStack.current.client()
            let refused = try await client.zones("delete", "_defaultZone")
            #expect(refused.first?.errorCode == "BAD_REQUEST")
            #expect(refused.first?.reasonCode == "zone_not_modifiable")
        }

        @Test func publicDatabaseHasTheDefaultZoneOnly() async throws {
            let client = try SharedStack.current.client().with(Header.database, "public")
            let refused = try await client.ask(
                .zonesModify, ["operations": [["operationType": "create", "zone": ["zoneID": .zone("Notes")]]]])
            #expect(refused.status == 400)
            #expect(refused["ckErrorCode"] == 24)
            let saved = try await client.ask(
                .recordsModify, ["operations": [.operation("create", "r-\(client.user)", ["n": 1])]])
            #expect(saved["records"]?[0]?.errorCode == nil)
            // Another user can read the record, because the database is public.
            let other = try SharedStack.current.client().with(Header.database, "public")
            let read = try await other.ask(
                .recordsLookup, ["records": [["recordName": .string("r-\(client.user)")]]])
            #expect(read["records"]?[0]?.values == ["n": 1])
        }

        @Test func privateDatabasesOfTwoUsersDoNotSeeEachOther() async throws {
            let (one, other) = (try SharedStack.current.client(), try SharedStack.current.client())
            try await one.zones("create", "Notes")
            try await other.zones("create", "Notes")
            try await one.save("Notes", "a", ["n": 1])
            #expect(try await other.record("Notes", "a").errorCode == "NOT_FOUND")
        }
    }
}
