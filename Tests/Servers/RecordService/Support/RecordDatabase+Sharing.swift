import AMQPClient
import CloudKitModel
import CloudKitWire
import Foundation
import PostgresClient
import RequestServing
import ServiceMessages
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

    /// The results of `records.resolve` or `records.accept` for a user, and the events.
    func links(
        _ operation: ServiceMessages.Operation, _ guids: JSONValue..., by user: String, email: String? = nil,
        messageID: String = UUID().uuidString
    ) async throws -> (results: [JSONValue], events: [ChangeEvent]) {
        var headers = Self.headers()
        headers[Header.database] = "public"
        headers[Header.user] = .string(user)
        if let email { headers[Header.identity] = .string(email) }
        let properties = AMQPProperties(messageID: messageID, headers: headers)
        let body: JSONValue = ["shortGUIDs": .array(guids)]
        let request = OpenedRequest(
            delivery: AMQPDelivery(
                queue: operation.queue, deliveryTag: 1, exchange: operation.exchange, routingKey: operation.rawValue,
                properties: properties, body: body.encoded()), operation: operation,
            context: try RequestContext(properties, operation: operation))
        let answer = try await OperationTable(store, retry: RecordDatabase.retry).attempt(.zones(request))
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

    /// The live records of each share of a zone, by the name of the share. The checker computes them anew from the
    /// parents, and compares.
    func members(of zone: ZoneEntry) async throws -> [String: Set<String>] {
        let table = zone.database.environment.recordTable
        let wrong = try await query(PostgresStatement(Self.wrongMembers(table)), [.int8(zone.row.rawValue)])
        #expect(wrong.map { "\($0.string(0))" } == [], "records in the wrong share")
        let rootless = try await query(PostgresStatement(Self.rootlessShares(table)), [.int8(zone.row.rawValue)])
        #expect(rootless.map { $0.string(0) } == [], "live shares without their roots")
        let rows = try await query(
            PostgresStatement(
                """
                select s.name, r.name from \(table) r join record.share s on s.zone = r.zone and s.id = r.share
                where r.zone = $1 and r.fields is not null and s.ended_seq is null
                """), [.int8(zone.row.rawValue)])
        var members: [String: Set<String>] = [:]
        for row in rows { members[row.string(0), default: []].insert(row.string(1)) }
        return members
    }

    private static func rootlessShares(_ table: String) -> String {
        """
        select s.name from record.share s
        where s.zone = $1 and s.ended_seq is null and s.root is not null and not exists (
            select from \(table) r
            where r.zone = $1 and r.name = s.root and r.share = s.id and r.fields is not null)
        """
    }

    private static func wrongMembers(_ table: String) -> String {
        """
        with recursive member(name, share) as (
            select n.name, s.id from record.share s cross join unnest(array[s.root, s.name]) as n(name)
            where s.zone = $1 and s.ended_seq is null and s.root is not null
            union
            select r.name, m.share from member m join \(table) r on r.zone = $1 and r.parent = m.name
            where r.fields is not null)
        select r.name from \(table) r left join member m on m.name = r.name
        where r.zone = $1 and r.fields is not null and not exists (
                select from record.share s where s.zone = $1 and s.name = r.name and s.id = r.share)
            and (select s.id from record.share s where s.zone = $1 and s.id = r.share and s.ended_seq is null)
                is distinct from m.share
        """
    }
}
