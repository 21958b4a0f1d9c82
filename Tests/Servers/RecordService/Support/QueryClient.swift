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
