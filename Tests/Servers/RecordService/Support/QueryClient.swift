import CloudKitModel
import CloudKitQuery
import CloudKitWire
import ServiceMessages
import Testing

@testable import RecordService
@testable import RecordStorage

/// Queries of one user, written as predicate formats.
extension RecordDatabase {
    /// The answer to `records.query`.
    func find(
        _ type: String = "Photo", _ format: String = "TRUEPREDICATE", _ arguments: [FormatArgument] = [],
        sorts: [Sort] = [], scope: QueryScope = QueryScope(zoneID: ZoneID(zoneName: ZoneName(unchecked: "Z"))),
        limit: Int? = nil, marker: String? = nil
    ) async throws -> JSONValue {
        let predicate = try Predicate(format: format, arguments, now: 0)
        return try await find(Query(recordType: type, predicate: predicate, sorts: sorts), scope, limit, marker)
    }

    /// The answer to `records.query`.
    func find(_ query: Query, _ scope: QueryScope, _ limit: Int? = nil, _ marker: String? = nil) async throws
        -> JSONValue
    {
        var request = QueryRecordsRequest(query: query.wire, scope: scope)
        request.resultsLimit = limit
        request.continuationMarker = marker
        var writer = WireWriter()
        writer.queryRecords(request)
        return try await ask(.recordsQuery, try JSONValue(parsing: writer.bytes))
    }
}

extension JSONValue {
    /// The names of the records in an answer.
    var names: [String] { (self["records"]?.array ?? []).compactMap { $0["recordName"]?.string } }
}

/// The lists and queries of a reader.
extension SharedReader {
    /// A page of `changes.database`.
    func list(since token: String? = nil, limit: Int? = nil) async throws -> JSONValue {
        try await ask(
            .changesDatabase,
            [
                "syncToken": token.map { .string($0) } ?? .null,
                "resultsLimit": limit.map { .int(Int64($0)) } ?? .null,
            ])
    }

    /// The answer to `records.query` in zone `Z`.
    func find(
        _ format: String = "TRUEPREDICATE", predicate: Predicate? = nil, type: String = "Photo", sorts: [Sort] = [],
        limit: Int? = nil, marker: String? = nil, limits: Limits = Limits()
    ) async throws -> JSONValue {
        let predicate = try predicate ?? Predicate(format: format, now: 0)
        let zoneID = ZoneID(zoneName: "Z", ownerRecordName: UserName(unchecked: RecordDatabase.user))
        var request = QueryRecordsRequest(
            query: Query(recordType: type, predicate: predicate, sorts: sorts).wire, scope: QueryScope(zoneID: zoneID))
        request.resultsLimit = limit
        request.continuationMarker = marker
        var writer = WireWriter()
        writer.queryRecords(request)
        return try await ask(.recordsQuery, try JSONValue(parsing: writer.bytes), limits: limits)
    }

    /// The answer to a query, an aggregation or an explanation.
    func run(
        _ operation: ServiceMessages.Operation, zone: JSONValue?, _ type: String = "Photo",
        _ format: String = "TRUEPREDICATE", with rest: [JSONValue.Member] = [], limits: Limits = Limits()
    ) async throws -> JSONValue {
        var body = rest
        if !body.contains(where: { $0.key == "query" }) {
            let tree = try Predicate(format: format, now: 0).json
            body.append(.init("query", ["recordType": .string(type), "filterBy": [tree]]))
        }
        if let zone { body.append(.init("zoneID", zone)) }
        return try await ask(operation, .object(body), limits: limits)
    }
}
