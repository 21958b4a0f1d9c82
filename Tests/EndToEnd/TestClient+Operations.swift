import CloudKitWire
import ServiceMessages
import TestSupport
import Testing

/// The requests of most tests, and the parts of the answers that they check.
extension TestClient {
    /// Sends `records.modify` for a zone, not atomic by default.
    func modify(
        _ zone: String, _ operations: JSONValue..., atomic: Bool = false, messageID: String = newMessageID()
    ) async throws -> TestReply {
        try await ask(
            .recordsModify, .modify(zone, operations, atomic: atomic), messageID: messageID)
    }

    /// Saves one record with `forceReplace`.
    ///
    /// - Returns: the record in the answer.
    @discardableResult
    func save(_ zone: String, _ name: String, _ fields: JSONValue) async throws -> JSONValue {
        let reply = try await modify(zone, .operation("forceReplace", name, fields))
        let record = try #require(reply["records"]?[0])
        try #require(record.errorCode == nil, "\(record)")
        return record
    }

    /// Deletes one record.
    func delete(_ zone: String, _ name: String) async throws {
        let reply = try await modify(zone, .operation("forceDelete", name))
        try #require(reply["records"]?[0]?["deleted"] == true)
    }

    /// Looks up one record.
    ///
    /// - Returns: the record, or its error.
    func record(_ zone: String, _ name: String) async throws -> JSONValue {
        let reply = try await ask(
            .recordsLookup, ["zoneID": .zone(zone), "records": [["recordName": .string(name)]]])
        return try #require(reply["records"]?[0], "\(reply.body)")
    }

    /// Creates or deletes zones.
    ///
    /// - Returns: the zones in the answer.
    @discardableResult
    func zones(_ kind: String, _ names: String...) async throws -> [JSONValue] {
        let reply = try await ask(
            .zonesModify,
            [
                "operations": .array(
                    names.map { ["operationType": .string(kind), "zone": ["zoneID": .zone($0)]] })
            ])
        try #require(reply.status == 200, "\(reply.body)")
        return try #require(reply["zones"]?.array)
    }

    /// Reads one page of a zone's feed.
    ///
    /// - Parameter owner: the owner of the zone, whom requests in the shared database name.
    /// - Returns: the zone's item in the answer.
    func changes(
        _ zone: String, owner: String? = nil, since token: String? = nil, limit: Int64? = nil, reverse: Bool = false
    ) async throws -> JSONValue {
        let query: [JSONValue.Member] = [
            .init("zoneID", .zone(zone, owner: owner)), .init("syncToken", token.map { .string($0) } ?? nil),
            .init("resultsLimit", limit.map { .int($0) } ?? nil), .init("reverse", reverse ? true : nil),
        ].filter { !$0.value.isNull }
        let reply = try await ask(.changesZone, ["zones": [.object(query)]])
        try #require(reply.status == 200, "\(reply.body)")
        return try #require(reply["zones"]?[0])
    }

    /// Reads one page of the database's feed.
    func databaseChanges(since token: String? = nil, limit: Int64? = nil) async throws -> TestReply {
        let query: [JSONValue.Member] = [
            .init("syncToken", token.map { .string($0) } ?? nil),
            .init("resultsLimit", limit.map { .int($0) } ?? nil),
        ].filter { !$0.value.isNull }
        return try await ask(.changesDatabase, .object(query))
    }
}

extension JSONValue {
    /// Returns the id of a zone, by default of the caller's zone.
    static func zone(_ name: String, owner: String? = nil) -> JSONValue {
        let owner = owner.map { [Member("ownerRecordName", .string($0))] } ?? []
        return .object([Member("zoneName", .string(name))] + owner)
    }

    /// Returns the body of `records.modify` for the caller's zone.
    static func modify(_ zone: String, _ operations: [JSONValue], atomic: Bool? = false) -> JSONValue {
        .modify(.zone(zone), operations, atomic: atomic)
    }

    /// Returns the body of `records.modify`.
    static func modify(_ zoneID: JSONValue, _ operations: [JSONValue], atomic: Bool? = false) -> JSONValue {
        let atomic: [Member] = atomic.map { [Member("atomic", .bool($0))] } ?? []
        return .object([Member("zoneID", zoneID), Member("operations", .array(operations))] + atomic)
    }

    /// Returns an operation on a record of type `Note`. `fields` contains bare values.
    static func operation(
        _ kind: String, _ name: String?, _ fields: JSONValue = [:], tag: String? = nil
    ) -> JSONValue {
        let values = (fields.members ?? []).map { Member($0.key, ["value": $0.value]) }
        let record: [Member] = [
            .init("recordName", name.map { .string($0) } ?? nil), .init("recordType", "Note"),
            .init("recordChangeTag", tag.map { .string($0) } ?? nil), .init("fields", .object(values)),
        ]
        return ["operationType": .string(kind), "record": .object(record.filter { !$0.value.isNull })]
    }

    /// The values of a record's fields, without their types.
    var values: [String: JSONValue] {
        Dictionary(
            uniqueKeysWithValues: (self["fields"]?.members ?? []).map { ($0.key, $0.value["value"] ?? nil) })
    }

    /// The `serverErrorCode` of an item or an answer; nil if it is not an error.
    var errorCode: String? { self["serverErrorCode"]?.string }
    /// The reason code of an error.
    var reasonCode: String? { self["reasonCode"]?.string }
    /// A record's change tag.
    var changeTag: String? { self["recordChangeTag"]?.string }
    /// A feed's token.
    var syncToken: String? { self["syncToken"]?.string }
    /// The names of the records in a page of a feed, in order.
    var recordNames: [String] { (self["records"]?.array ?? []).compactMap { $0["recordName"]?.string } }
    /// The names of the zones in a page of a feed, in order.
    var zoneNames: [String] { (self["zones"]?.array ?? []).compactMap { $0["zoneID"]?["zoneName"]?.string } }
}
