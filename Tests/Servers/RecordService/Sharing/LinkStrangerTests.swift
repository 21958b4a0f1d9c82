import CloudKitModel
import CloudKitWire
import PostgresClient
import ServiceMessages
import Testing

@testable import RecordService
@testable import RecordStorage

/// Users who have a link, but for whom it changes nothing. They must not delay the owner of the share.
@Suite(.enabled(if: RecordDatabase.serverURL != nil), .timeLimit(.minutes(5)))
struct LinkStrangerTests {
    /// Shares a list, with the given keys, and returns the link.
    private func share(
        _ database: RecordDatabase, _ zone: ZoneEntry, _ root: String, permission: String? = nil,
        _ participants: JSONValue..., keys: (String, JSONValue)...
    ) async throws -> JSONValue {
        let saved = try await database.save(
            zone, database.operation("create", root),
            database.share("create", "S-\(root)", of: root, permission: permission, participants: participants))
        if !keys.isEmpty {
            let members =
                [("recordName", .string("S-\(root)")), ("recordType", "cloudkit.share")]
                + [("recordChangeTag", saved[1]["recordChangeTag"] ?? .null)] + keys
            try await database.save(
                zone,
                [
                    "operationType": "update",
                    "record": .object(members.map { JSONValue.Member($0.0, $0.1) }),
                ])
        }
        return try #require(saved[1]["shortGUID"])
    }

    @Test func aLinkThatChangesNothingIsAnsweredWhileTheZoneAndItsRecordsAreLocked() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            let (user, other) = (RecordDatabase.user("b"), RecordDatabase.user("c"))
            var limits = Limits()
            (limits.maxRequesters, limits.maxPublicUsers) = (1, 1)
            let identity = JSONValue.array([["userRecordName": .string(user)]])
            let hidden = try await share(database, zone, "hidden", RecordDatabase.participant(other))
            let blocked = try await share(
                database, zone, "blocked", keys: ("allowsAccessRequests", true), ("blockRequesters", identity))
            let email = try await share(database, zone, "email", RecordDatabase.invitation("ada@example.org"))
            let open = try await share(database, zone, "open", keys: ("allowsAccessRequests", true))
            let full = try await share(database, zone, "full", permission: "READ_ONLY")
            _ = try await database.links(.recordsAccept, full, by: other, limits: limits)
            let asked = try await database.links(.sharesRequestAccess, open, by: other, limits: limits)
            #expect(asked.results[0]["ckErrorCode"] == nil)

            let codes: [(ServiceMessages.Operation, [Int64?])] = [
                (.recordsResolve, [11, 11, 33, 10]), (.recordsAccept, [11, 11, 33, 10, 29]),
                (.sharesRequestAccess, [11, 11, 33, 27, nil]),
            ]
            let table = zone.database.environment.recordTable
            try await database.superuser.withTransaction { connection in
                _ = try await connection.pipeline([ZoneTable.lock([zone.row], waiting: true)])
                _ = try await connection.query(PostgresStatement("lock table \(table) in access exclusive mode"))
                for (operation, codes) in codes {
                    for (link, code) in zip([hidden, blocked, email, open, full], codes) {
                        let result = try await database.links(operation, link, by: user, limits: limits).results[0]
                        #expect(result["ckErrorCode"]?.int == code, "\(operation): \(result)")
                    }
                }
                // A request that is pending already, and one of a user who has access.
                for link in [open, full] {
                    let again = try await database.links(.sharesRequestAccess, link, by: other, limits: limits)
                    #expect(again.results[0]["ckErrorCode"] == nil)
                }
            }
        }
    }

    @Test func anAcceptanceThatChangedNothingIsNotRepeatedAfterTheLossOfTheAccess() async throws {
        try await RecordDatabase.with { database in
            let (zone, user) = (try await database.zone(), RecordDatabase.user("b"))
            let link = try await share(database, zone, "list", RecordDatabase.participant(user))
            _ = try await database.links(.recordsAccept, link, by: user)
            for id in ["once", "again"] {
                let accepted = try await database.links(.recordsAccept, link, by: user, messageID: id).results[0]
                #expect(accepted["participantStatus"] == "ACCEPTED")
            }
            for participants in [[], [RecordDatabase.participant(user)]] {
                let tag = try await database.tag("S-list", in: zone)
                try await database.save(
                    zone, database.share("update", "S-list", of: nil, tag: tag, participants: participants))
                let repeated = try await database.links(.recordsAccept, link, by: user, messageID: "once").results[0]
                #expect(repeated["ckErrorCode"] == 11, "\(repeated)")
            }
            let share = try await database.record("S-list", in: zone)
            #expect(share["participants"]?[1]?["acceptanceStatus"] == "INVITED")
        }
    }

    @Test func aLinkThatARequestContainsSeveralTimesIsUsedOnce() async throws {
        try await RecordDatabase.with { database in
            let (zone, user) = (try await database.zone(), RecordDatabase.user("b"))
            let link = try await share(database, zone, "list", RecordDatabase.participant(user))
            let open = try await share(database, zone, "open", keys: ("allowsAccessRequests", true))
            func outcomes() async throws -> Int64? {
                try await database.query("select count(*) from record.request where user_name = $1", [.text(user)])
                    .first?.int64(0)
            }
            for (number, (operation, link)) in [
                (ServiceMessages.Operation.recordsAccept, link), (.sharesRequestAccess, open),
            ].enumerated() {
                let (results, events) = try await database.links(
                    operation, link, ["value": link, "shouldFetchRootRecord": true], link, by: user)
                #expect(results.count == 3 && results.allSatisfy { $0["ckErrorCode"] == nil }, "\(results)")
                #expect(events.count == 1)
                #expect(try await outcomes() == Int64(number + 1))
            }
        }
    }

    @Test func aLinkIsFoundThroughAnIndexInAZoneWithManyShares() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            let link = try await share(database, zone, "list", RecordDatabase.participant(RecordDatabase.user("b")))
            let text = try #require(link.string)
            try await database.query(
                """
                insert into record.share (environment, zone, id, name, root, public_permission)
                select environment, zone, id + n, 'S' || n, 'r' || n, 1 from record.share, generate_series(1, 5000) n
                """)
            try await database.query("vacuum analyze record.share")
            let caller = ShareCaller(user: RecordDatabase.user("c"), email: "c@example.org")
            let call = LinkTable.find([text], for: caller, .other, in: zone.database.environment)
            let read = try await RowsRead(of: call, database)
            #expect(read["share"] <= 3, "\(read)")
            #expect(read["participant"] <= 4 && read["requester"] == 0, "\(read)")
            let found = try await database.links(.recordsResolve, link, by: RecordDatabase.user("b")).results[0]
            #expect(found["participantStatus"] == "INVITED")
        }
    }
}
