import CloudKitWire
import PostgresClient
import ServiceMessages
import Testing

@testable import RecordService
@testable import RecordStorage

/// The requests and time shifts that tests of the feeds need.
extension RecordDatabase {
    /// Returns a page of a zone's feed, which is the item in the answer to `changes.zone`.
    func changes(
        _ zone: String = "Z", since token: String? = nil, limit: Int? = nil, reverse: Bool = false
    ) async throws -> JSONValue {
        let answer = try await ask(
            .changesZone,
            [
                "zones": [
                    [
                        "zoneID": ["zoneName": .string(zone)], "syncToken": token.map { .string($0) } ?? .null,
                        "resultsLimit": limit.map { .int(Int64($0)) } ?? .null, "reverse": .bool(reverse),
                    ]
                ]
            ])
        return try #require(answer["zones"]?[0])
    }

    /// Returns the answer to `changes.database`.
    func databaseChanges(since token: String? = nil) async throws -> JSONValue {
        try await ask(.changesDatabase, ["syncToken": token.map { .string($0) } ?? .null])
    }

    /// Deletes a zone as an application does.
    func deleteZone(_ name: String = "Z") async throws {
        let answer = try await ask(
            .zonesModify,
            ["operations": [["operationType": "delete", "zone": ["zoneID": ["zoneName": .string(name)]]]]])
        #expect(answer["zones"]?[0]?["deleted"] == true)
    }

    /// Returns the answer to `zones.purge`.
    func purge(_ body: JSONValue.Member...) async throws -> JSONValue {
        try await ask(
            .zonesPurge,
            .object(
                [
                    .init("container", .string(Self.container)), .init("environment", "development"),
                    .init("database", "private"), .init("owner", .string(Self.user)),
                ] + body))
    }

    /// Purges all tombstones that are older than the retention, and returns the number of transactions.
    @discardableResult
    func purgeTombstones(retention: Duration = .zero) async throws -> Int {
        let purger = TombstonePurger(pool: pool, retention: retention)
        var transactions = 0
        for environment in try await purger.environments() {
            repeat { transactions += 1 } while try await purger.runOnce(in: environment)
        }
        return transactions
    }

    /// Executes the jobs that are due.
    func reclaim(retention: Duration = .zero) async throws {
        let reclaimer = Reclaimer(pool: pool, retention: retention, logger: Self.logger)
        while try await reclaimer.runOnce() {}
    }

    /// Returns the names of the remaining tombstones.
    func tombstones() async throws -> [String] {
        try await query("select name from record.record where fields is null order by name").map { $0.string(0) }
    }
}

extension JSONValue {
    /// The names of an answer's records, with `-` before deleted ones.
    var changes: [String] {
        (self["records"]?.array ?? []).map { record in
            (record["deleted"] == true ? "-" : "") + (record["recordName"]?.string ?? "")
        }
    }

    /// The names of an answer's zones, with `-` before deleted ones.
    var zoneChanges: [String] {
        (self["zones"]?.array ?? []).map { zone in
            (zone["deleted"] == true ? "-" : "") + (zone["zoneID"]?["zoneName"]?.string ?? "")
        }
    }

    var syncToken: String? { self["syncToken"]?.string }
}
