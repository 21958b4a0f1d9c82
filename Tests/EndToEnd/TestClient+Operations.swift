import CloudKitWire
import ServiceMessages
import TestSupport
import Testing

/// The requests that most tests make, and what they look at in the answers.
extension TestClient {
    /// `records.modify` in a zone; not atomic unless said otherwise.
    func modify(
        _ zone: String, _ operations: JSONValue..., atomic: Bool = false, messageID: String = newMessageID()
    ) async throws -> TestReply {
        try await ask(
            .recordsModify, .modify(zone, operations, atomic: atomic), messageID: messageID)
    }

    /// Saves one record with `forceReplace`.
    ///
    /// - Returns: the record as it was answered.
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

    /// Looks one record up.
    ///
    /// - Returns: the record, or its error.
    func record(_ zone: String, _ name: String) async throws -> JSONValue {
        let reply = try await ask(
            .recordsLookup, ["zoneID": .zone(zone), "records": [["recordName": .string(name)]]])
        return try #require(reply["records"]?[0], "\(reply.body)")
    }

    /// Makes or deletes zones.
    ///
    /// - Returns: the zones as they were answered.
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

    /// One page of a zone's feed.
    ///
    /// - Returns: the zone's item.
    func changes(_ zone: String, since token: String? = nil, limit: Int64? = nil) async throws -> JSONValue {
        let query: [JSONValue.Member] = [
            .init("zoneID", .zone(zone)), .init("syncToken", token.map { .string($0) } ?? nil),
            .init("resultsLimit", limit.map { .int($0) } ?? nil),
        ].filter { !$0.value.isNull }
        let reply = try await ask(.changesZone, ["zones": [.object(query)]])
        try #require(reply.status == 200, "\(reply.body)")
        return try #require(reply["zones"]?[0])
    }

    /// One page of the database's feed.
    func databaseChanges(since token: String? = nil, limit: Int64? = nil) async throws -> TestReply {
        let query: [JSONValue.Member] = [
            .init("syncToken", token.map { .string($0) } ?? nil),
            .init("resultsLimit", limit.map { .int($0) } ?? nil),
        ].filter { !$0.value.isNull }
        return try await ask(.changesDatabase, .object(query))
    }
}

extension JSONValue {
    /// The id of one's own zone.
    static func zone(_ name: String) -> JSONValue { ["zoneName": .string(name)] }

    /// The body of `records.modify`.
    static func modify(_ zone: String, _ operations: [JSONValue], atomic: Bool? = false) -> JSONValue {
        let atomic: [Member] = atomic.map { [Member("atomic", .bool($0))] } ?? []
        return .object([Member("zoneID", .zone(zone)), Member("operations", .array(operations))] + atomic)
    }

    /// An operation on a record of type `Note`; `fields` has bare values.
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

    /// The wire's error code, of an item or an answer; nil when it is none.
    var errorCode: String? { self["serverErrorCode"]?.string }
    /// The stable word of an error.
    var reasonCode: String? { self["reasonCode"]?.string }
    /// A record's change tag.
    var changeTag: String? { self["recordChangeTag"]?.string }
    /// A feed's token.
    var syncToken: String? { self["syncToken"]?.string }
    /// The names of the records of a feed's page, in order.
    var recordNames: [String] { (self["records"]?.array ?? []).compactMap { $0["recordName"]?.string } }
    /// The names of the zones of a feed's page, in order.
    var zoneNames: [String] { (self["zones"]?.array ?? []).compactMap { $0["zoneID"]?["zoneName"]?.string } }
}
