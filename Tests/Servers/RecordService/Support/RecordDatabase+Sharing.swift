import AMQPClient
import CloudKitModel
import CloudKitWire
import Foundation
import PostgresClient
import RequestServing
import ServiceMessages
import TestSupport
import Testing

@testable import RecordService
@testable import RecordStorage

/// What tests of shares ask.
extension RecordDatabase {
    /// An operation that saves a share.
    func share(
        _ kind: String, _ name: String?, of root: String?, tag: String? = nil, rootTag: String? = nil,
        permission: String? = nil, participants: [JSONValue]? = nil, fields: JSONValue = [:]
    ) -> JSONValue {
        var record: [JSONValue.Member] = [.init("recordType", "cloudkit.share"), .init("fields", fields)]
        if let name { record.append(.init("recordName", .string(name))) }
        if let tag { record.append(.init("recordChangeTag", .string(tag))) }
        if let root {
            var members = [JSONValue.Member("recordName", .string(root))]
            if let rootTag { members.append(.init("recordChangeTag", .string(rootTag))) }
            record.append(.init("forRecord", .object(members)))
        }
        if let permission { record.append(.init("publicPermission", .string(permission))) }
        if let participants { record.append(.init("participants", .array(participants))) }
        return ["operationType": .string(kind), "record": .object(record)]
    }

    /// A participant to be saved.
    static func participant(_ user: String, _ permission: String = "READ_WRITE", type: String = "USER") -> JSONValue {
        [
            "type": .string(type), "permission": .string(permission), "acceptanceStatus": "INVITED",
            "userIdentity": ["userRecordName": .string(user)],
        ]
    }

    /// A participant to be invited by email.
    static func invitation(_ email: String, _ permission: String = "READ_WRITE") -> JSONValue {
        [
            "type": "USER", "permission": .string(permission), "acceptanceStatus": "INVITED",
            "userIdentity": ["lookupInfo": ["emailAddress": .string(email)]],
        ]
    }

    /// The results of `records.resolve`, `records.accept` or `shares.requestAccess` for a user, and the events.
    func links(
        _ operation: ServiceMessages.Operation, _ guids: JSONValue..., by user: String, email: String? = nil,
        messageID: String = UUID().uuidString, limits: Limits = Limits()
    ) async throws -> (results: [JSONValue], events: [ChangeEvent]) {
        var headers = Self.headers()
        headers[Header.database] = "public"
        headers[Header.user] = .string(user)
        if let email { headers[Header.identity] = .string(email) }
        headers[Header.deadline] = .int64(SystemClock.milliseconds() + 60_000)
        let properties = AMQPProperties(messageID: messageID, headers: headers)
        let body: JSONValue = ["shortGUIDs": .array(guids)]
        let request = OpenedRequest(
            delivery: AMQPDelivery(
                queue: operation.queue, deliveryTag: 1, exchange: operation.exchange, routingKey: operation.rawValue,
                properties: properties, body: body.encoded()), operation: operation,
            context: try RequestContext(properties, operation: operation))
        var store = store
        store.limits = limits
        // Like the service, the test waits again for a zone that others have locked.
        let table = OperationTable(store, retry: RecordDatabase.retry)
        let answer = try await RecordDatabase.retry.run(deadline: request.context.deadline) {
            try await table.attempt(.zones(request))
        }
        return (try #require(try JSONValue(parsing: answer.body)["results"]?.array), answer.events)
    }

    /// The record name of a user, by a digit.
    static func user(_ digit: Character) -> String { "_" + String(repeating: digit, count: 32) }

    /// The records in the answer to a request that saves them all.
    @discardableResult
    func save(_ zone: ZoneEntry, _ operations: JSONValue...) async throws -> [JSONValue] {
        let (answers, _) = try await write(try request(zone, operations, atomic: true))
        let records = try #require(answers[0]["records"]?.array)
        for record in records { try #require(record["serverErrorCode"] == nil, "\(record)") }
        return records
    }

    /// The `CKError` codes of the outcomes of a request that is not atomic; nil for what was saved.
    func codes(_ zone: ZoneEntry, limits: Limits = Limits(), _ operations: JSONValue...) async throws -> [Int64?] {
        let (answers, _) = try await write(try request(zone, operations), limits: limits)
        if let code = answers[0]["ckErrorCode"]?.int { return [code] }
        return try #require(answers[0]["records"]?.array).map { $0["ckErrorCode"]?.int }
    }

    /// A record as a look-up returns it.
    func record(_ name: String, in zone: ZoneEntry) async throws -> JSONValue {
        let answer = try await ask(
            .recordsLookup,
            [
                "zoneID": ["zoneName": .string(zone.address.zone.rawValue)],
                "records": [["recordName": .string(name)]],
            ])
        return try #require(answer["records"]?[0])
    }

    /// The change tag of a record.
    func tag(_ name: String, in zone: ZoneEntry) async throws -> String {
        try #require(try await record(name, in: zone)["recordChangeTag"]?.string)
    }

    /// The live records of each share of a zone, by the name of the share. Compares them with the parents.
    func members(of zone: ZoneEntry) async throws -> [String: Set<String>] {
        let membership = try await ZoneMembership(ofRow: zone.row.rawValue) { try await query($0, $1) }
        #expect(membership.problems == [], "the stored membership differs from the parents")
        return membership.members
    }
}
