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

/// A user who reads the zones of `RecordDatabase.user` in the shared database.
struct SharedReader {
    let database: RecordDatabase
    let user: String

    init(_ database: RecordDatabase, _ digit: Character) {
        self.database = database
        user = RecordDatabase.user(digit)
    }

    /// The id of a zone of the owner.
    static func zoneID(_ name: String, owner: String? = RecordDatabase.user) -> JSONValue {
        var members = [JSONValue.Member("zoneName", .string(name))]
        if let owner { members.append(.init("ownerRecordName", .string(owner))) }
        return .object(members)
    }

    /// Returns the answer to a request in the shared database.
    func ask(
        _ operation: ServiceMessages.Operation, _ body: JSONValue, messageID: String = UUID().uuidString,
        limits: Limits = Limits()
    ) async throws -> JSONValue {
        var headers = RecordDatabase.headers()
        headers[Header.user] = .string(user)
        headers[Header.database] = .string(DatabaseScope.shared.wireName)
        let properties = AMQPProperties(messageID: messageID, headers: headers)
        let delivery = AMQPDelivery(
            queue: operation.queue, deliveryTag: 1, exchange: operation.exchange, routingKey: operation.rawValue,
            properties: properties, body: body.encoded())
        let context = try RequestContext(properties, operation: operation)
        var store = database.store
        store.limits = limits
        let table = OperationTable(store, retry: RecordDatabase.retry)
        let answer = await table.answer(OpenedRequest(delivery: delivery, operation: operation, context: context))
        return try JSONValue(parsing: try #require(answer).body)
    }

    /// Looks up records of zone `Z`.
    func look(_ names: String...) async throws -> JSONValue {
        try await ask(
            .recordsLookup,
            ["zoneID": Self.zoneID("Z"), "records": .array(names.map { ["recordName": .string($0)] })])
    }

    /// Returns one page of the changes of zone `Z`.
    func page(since token: String?, limit: Int = 200, reverse: Bool = false) async throws -> JSONValue {
        var query: [JSONValue.Member] = [.init("zoneID", Self.zoneID("Z")), .init("resultsLimit", .int(Int64(limit)))]
        if reverse { query.append(.init("reverse", true)) }
        if let token { query.append(.init("syncToken", .string(token))) }
        return try #require(try await ask(.changesZone, ["zones": [.object(query)]])["zones"]?[0])
    }

    /// Returns all changes of zone `Z` since `token`: the names, with a minus sign if the record was deleted.
    func feed(
        since token: String? = nil, limit: Int = 200, reverse: Bool = false
    ) async throws -> (names: [String], token: String) {
        var (names, reached) = ([String](), token)
        while true {
            let page = try await page(since: reached, limit: limit, reverse: reverse)
            let records = try #require(page["records"]?.array, "\(page)")
            names += records.map { ($0["deleted"] == true ? "-" : "") + ($0["recordName"]?.string ?? "?") }
            reached = try #require(page["syncToken"]?.string)
            if page["moreComing"] != true { return (names, try #require(reached)) }
        }
    }

    /// Accepts the invitation to a share by its link.
    func accept(_ share: String, in zone: ZoneEntry) async throws {
        let link = try #require(try await database.record(share, in: zone)["shortGUID"]?.string)
        let result = try await database.links(.recordsAccept, ["value": .string(link)], by: user).results[0]
        try #require(result["participantStatus"] == "ACCEPTED", "\(result)")
    }
}
