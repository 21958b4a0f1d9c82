import CloudKitModel
import CloudKitWire
import PostgresClient
import RequestServing
import ServiceMessages
import Testing

@testable import RecordService
@testable import RecordStorage

/// The requests that tests of references need.
extension RecordDatabase {
    /// Returns a reference as a field's value.
    static func reference(_ target: String, _ action: String = "DELETE_SELF") -> JSONValue {
        ["recordName": .string(target), "action": .string(action)]
    }

    /// Commits operations on one zone, and returns the outcome of each: `saved`, `deleted`, or the error's
    /// `reasonCode`.
    func outcomes(
        _ zone: ZoneEntry, _ operations: JSONValue..., atomic: Bool = false, limits: Limits = Limits(),
        checksOwners: Bool = false
    ) async throws -> [String] {
        var request = try request(zone, operations, atomic: atomic)
        request.checksOwners = checksOwners
        let answer = try await write(request, limits: limits).answers[0]
        return (answer["records"]?.array ?? []).map { item in
            item["reasonCode"]?.string ?? (item["deleted"] == true ? "deleted" : "saved")
        }
    }

    /// Returns those of `names` that a look-up finds.
    func found(_ names: [String]) async throws -> [String] {
        let answer = try await ask(
            .recordsLookup,
            [
                "zoneID": ["zoneName": "Z"],
                "records": .array(names.map { ["recordName": .string($0)] }),
            ])
        return (answer["records"]?.array ?? []).compactMap { item in
            item["serverErrorCode"] == nil ? item["recordName"]?.string : nil
        }
    }

    /// Returns the names in the zone's feed since `token`, in order and with a minus before deleted ones, and the new
    /// token.
    func feed(since token: String? = nil) async throws -> (names: [String], token: String) {
        var query: [JSONValue.Member] = [.init("zoneID", ["zoneName": "Z"])]
        if let token { query.append(.init("syncToken", .string(token))) }
        let answer = try await ask(.changesZone, ["zones": [.object(query)]])
        let zone = try #require(answer["zones"]?[0])
        let names = (zone["records"]?.array ?? []).map { item in
            (item["deleted"] == true ? "-" : "") + (item["recordName"]?.string ?? "?")
        }
        let reached = try #require(zone["syncToken"]?.string)
        guard zone["moreComing"] == true else { return (names, reached) }
        let rest = try await feed(since: reached)
        return (names + rest.names, rest.token)
    }

    /// Returns the rows of references in the form `source.field>target`, in order.
    func links() async throws -> [String] {
        try await query("select source || '.' || field || '>' || target from record.reference order by 1").map {
            $0.string(0)
        }
    }
}
