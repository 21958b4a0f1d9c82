import AMQPClient
import CloudKitModel
import CloudKitQuery
import CloudKitWire
import Foundation
import ServiceMessages
import TestSupport
import Testing

/// Queries for records of type `Item` in the zone `Z` of a private database, unless specified otherwise.
extension TestClient {
    /// Returns a client for the same user in a new container, with a zone `Z` in the private database.
    func inNewContainer() async throws -> TestClient {
        let own = with(Header.container, .string("com.example.queries.\(Self.newUser().dropFirst())"))
        let made = try await own.ask(.containersCreate, ["container": .string(own.container)])
        try #require(made.status == 200, "\(made.body)")
        if headers.string(Header.database) == "private" { try await own.zones("create", "Z") }
        return own
    }

    /// Returns the same client for another user.
    func asAnotherUser() -> TestClient { with(Header.user, .string(Self.newUser())) }

    /// Saves all records or none.
    func save(_ records: [JSONValue], zone: String? = "Z") async throws {
        for start in stride(from: 0, to: records.count, by: 500) {
            let operations = records[start..<min(start + 500, records.count)].map { record -> JSONValue in
                ["operationType": "forceReplace", "record": record]
            }
            let reply = try await ask(
                .recordsModify, .inZone(zone, [.init("operations", .array(operations))]), within: .seconds(60))
            let faults = (reply["records"]?.array ?? [reply.body]).filter { $0.errorCode != nil }
            try #require(reply.status == 200 && faults.isEmpty, "\(faults.prefix(3)) \(reply.status)")
        }
    }

    /// Sends `records.query` with the given filters and sorts.
    func query(
        _ type: String = "Item", filterBy: JSONValue? = nil, sortBy: JSONValue? = nil, zone: String? = "Z",
        with others: [JSONValue.Member] = []
    ) async throws -> TestReply {
        try await ask(.recordsQuery, .query(type, filterBy: filterBy, sortBy: sortBy, zone: zone, with: others))
    }

    /// Sends `records.query` with the filters to which a format is parsed.
    func find(
        _ format: String = "TRUEPREDICATE", _ arguments: [FormatArgument] = [], of type: String = "Item",
        sorts: [Sort] = [], zone: String? = "Z", with others: [JSONValue.Member] = []
    ) async throws -> TestReply {
        try await ask(.recordsQuery, .query(type, format, arguments, sorts: sorts, zone: zone, with: others))
    }

    /// Returns the names of all records that a query finds, read in pages of at most `limit`.
    func walk(
        _ format: String = "TRUEPREDICATE", _ arguments: [FormatArgument] = [], sorts: [Sort] = [],
        zone: String? = "Z", limit: Int64, with others: [JSONValue.Member] = []
    ) async throws -> [String] {
        var names: [String] = []
        var marker: JSONValue?
        repeat {
            var members: [JSONValue.Member] = [.init("resultsLimit", .int(limit))]
            if let marker { members.append(.init("continuationMarker", marker)) }
            let page = try await find(format, arguments, sorts: sorts, zone: zone, with: members + others)
            try #require(page.status == 200, "\(page.body)")
            names += page.body.recordNames
            marker = page["continuationMarker"].flatMap { $0.isNull ? JSONValue?.none : $0 }
        } while marker != nil
        return names
    }

    /// Waits until the environment has indexes and all of them have been built.
    func untilIndexesAreReady() async throws {
        let environment = headers.string(Header.environment) ?? ""
        try await eventually("the indexes of \(environment) are ready", within: .seconds(60)) {
            let indexes = try await indexes(of: environment)
            return !indexes.isEmpty && indexes.allSatisfy { $0["state"] == "ready" } ? true : nil
        }
    }

    /// Returns the indexes in the answer to `schema.status`.
    func indexes(of environment: String) async throws -> [JSONValue] {
        let body: JSONValue = ["container": .string(container), "environment": .string(environment)]
        let status = try await ask(.schemaStatus, body)
        return try #require(status["indexes"]?.array, "\(status.body)")
    }

    /// Gives development and production a schema.
    func deploy(_ schema: String) async throws {
        let body: JSONValue = ["container": .string(container), "schema": .string(schema)]
        let imported = try await ask(.schemaImport, body)
        try #require(imported.status == 200, "\(imported.body)")
        let deployed = try await ask(.schemaDeploy, ["container": .string(container)])
        try #require(deployed.status == 200, "\(deployed.body)")
    }
}

extension JSONValue {
    /// Returns the body of `records.query`.
    static func query(
        _ type: String = "Item", filterBy: JSONValue? = nil, sortBy: JSONValue? = nil, zone: String? = "Z",
        with others: [Member] = []
    ) -> JSONValue {
        let query: [Member?] = [
            Member("recordType", .string(type)), filterBy.map { Member("filterBy", $0) },
            sortBy.map { Member("sortBy", $0) },
        ]
        return .inZone(zone, [Member("query", .object(query.compactMap { $0 }))] + others)
    }

    /// Returns the body of `records.query` with the filters to which a format is parsed.
    static func query(
        _ type: String = "Item", _ format: String, _ arguments: [FormatArgument] = [], sorts: [Sort] = [],
        zone: String? = "Z", with others: [Member] = []
    ) throws -> JSONValue {
        let now = Int64(Date().timeIntervalSince1970 * 1000)
        let query = Query(
            recordType: type, predicate: try Predicate(format: format, arguments, now: now), sorts: sorts)
        var writer = WireWriter()
        writer.queryRecords(QueryRecordsRequest(query: query.wire))
        return .inZone(zone, (try JSONValue(parsing: writer.bytes).members ?? []) + others)
    }

    /// Returns an object with `members` and, unless `zone` is nil, a `zoneID`.
    static func inZone(_ zone: String?, _ members: [Member]) -> JSONValue {
        .object((zone.map { [Member("zoneID", .zone($0))] } ?? []) + members)
    }

    /// Returns the operation that saves a record, of type `Item` by default. Fields are bare values, or values with a
    /// type (``typed(_:_:)``).
    static func item(_ name: String, _ fields: JSONValue = [:], of type: String = "Item", parent: String? = nil)
        -> JSONValue
    {
        let values = (fields.members ?? []).map {
            Member($0.key, $0.value["value"] == nil ? ["value": $0.value] : $0.value)
        }
        let parent = parent.map { [Member("parent", ["recordName": .string($0)])] } ?? []
        return .object(
            [
                Member("recordName", .string(name)), Member("recordType", .string(type)),
                Member("fields", .object(values)),
            ] + parent)
    }

    /// Returns a field value dictionary.
    static func typed(_ value: JSONValue, _ type: String) -> JSONValue { ["value": value, "type": .string(type)] }
    static func moment(_ milliseconds: Int64) -> JSONValue { .typed(.int(milliseconds), "TIMESTAMP") }
    static func place(_ latitude: Double, _ longitude: Double) -> JSONValue {
        .typed(["latitude": .double(latitude), "longitude": .double(longitude)], "LOCATION")
    }
    static func link(_ name: String) -> JSONValue {
        .typed(["recordName": .string(name), "action": "NONE"], "REFERENCE")
    }

    /// Returns a filter dictionary.
    static func filter(_ comparator: String, _ field: String, _ value: JSONValue? = nil) -> JSONValue {
        let value = value.map { [Member("fieldValue", $0["value"] == nil ? ["value": $0] : $0)] } ?? []
        return .object([Member("comparator", .string(comparator)), Member("fieldName", .string(field))] + value)
    }

    /// The warnings of an answer.
    var warnings: [String] { (self["warnings"]?.array ?? []).compactMap(\.string) }
}
