import AMQPClient
import CloudKitModel
import CloudKitWire
import Foundation
import RequestServing
import ServiceMessages
import Testing

@testable import RecordService
@testable import RecordStorage

/// Saves and deletions in the shared database.
extension SharedReader {
    /// Returns a `records.modify` for a zone of the owner.
    func request(
        _ zone: ZoneEntry, _ operations: [JSONValue], atomic: Bool = false, messageID: String = UUID().uuidString
    ) throws -> WriteRequest {
        let write = try unresolved(zone.address.zone.rawValue, operations, atomic: atomic, messageID: messageID)
        return write.resolved(in: zone)
    }

    /// Returns a `records.modify` as it was received.
    func unresolved(
        _ zone: String, _ operations: [JSONValue], atomic: Bool = false, messageID: String = UUID().uuidString
    ) throws -> UnresolvedWrite {
        let body: JSONValue = [
            "atomic": .bool(atomic), "zoneID": Self.zoneID(zone), "operations": .array(operations),
        ]
        var headers = RecordDatabase.headers()
        headers[Header.user] = .string(user)
        headers[Header.database] = .string(DatabaseScope.shared.wireName)
        let properties = AMQPProperties(messageID: messageID, headers: headers)
        let delivery = AMQPDelivery(
            queue: Queue.recordWrites, deliveryTag: 1, properties: properties, body: body.encoded())
        let decoded = try ModifyRecordsRequest(decoding: delivery.body)
        return UnresolvedWrite(
            delivery: delivery,
            context: try ZoneAccess.context(
                of: try #require(decoded.zoneID), for: RequestContext(properties, operation: .recordsModify)),
            body: decoded, bodyHash: Array(delivery.body), checksOwners: false)
    }

    /// The answer to a request in one of the owner's zones.
    func modify(
        _ zone: ZoneEntry, _ operations: JSONValue..., limits: Limits = Limits(), atomic: Bool = false,
        messageID: String = UUID().uuidString
    ) async throws -> JSONValue {
        let request = try request(zone, operations, atomic: atomic, messageID: messageID)
        return try await database.write(request, limits: limits).answers[0]
    }

    /// The `CKError` codes of the outcomes, or of the whole request; nil for what was saved.
    func codes(_ zone: ZoneEntry, limits: Limits = Limits(), _ operations: JSONValue...) async throws -> [Int64?] {
        let answer = try await database.write(try request(zone, operations), limits: limits).answers[0]
        if let code = answer["ckErrorCode"]?.int { return [code] }
        return try #require(answer["records"]?.array).map { $0["ckErrorCode"]?.int }
    }

    /// The answer to a request in a zone that does not exist.
    func modifyMissing(
        _ zone: String, _ operations: JSONValue..., messageID: String = UUID().uuidString
    ) async throws -> JSONValue {
        let write = try unresolved(zone, operations, atomic: false, messageID: messageID)
        let table = OperationTable(database.store, retry: RecordDatabase.retry)
        return try JSONValue(parsing: try await table.attempt(.records(write)).body)
    }

    /// The outcome of `zones.modify` for one zone.
    func modifyZone(_ kind: String, _ zone: String, messageID: String = UUID().uuidString) async throws -> JSONValue {
        let body: JSONValue = [
            "operations": [["operationType": .string(kind), "zone": ["zoneID": Self.zoneID(zone)]]]
        ]
        return try #require(try await ask(.zonesModify, body, messageID: messageID)["zones"]?[0])
    }

    /// The text of an answer without the ids of the request and with a question mark for each of `names`.
    static func text(_ answer: JSONValue, without names: String...) -> String {
        let text = String(decoding: withoutIDs(answer).encoded(), as: UTF8.self)
        return names.reduce(text) { $0.replacing("\"\($1)\"", with: "?").replacing("'\($1)'", with: "?") }
    }

    private static func withoutIDs(_ value: JSONValue) -> JSONValue {
        if let elements = value.array { return .array(elements.map(withoutIDs)) }
        guard let members = value.members else { return value }
        return .object(
            members.filter { !["uuid", "requestID"].contains($0.key) }.map { .init($0.key, withoutIDs($0.value)) })
    }
}
