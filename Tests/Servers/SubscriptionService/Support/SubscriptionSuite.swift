import AMQPClient
import CloudKitModel
import CloudKitWire
import Foundation
import PostgresClient
import ServiceMessages
import TestSupport
import Testing

@testable import SubscriptionService
@testable import SubscriptionStorage

/// A suite that saves subscriptions, commits changes and reads the notifications, with real servers.
protocol SubscriptionSuite {
    /// The zone of the subscriptions and the changes.
    var zone: TestZone { get }
}

extension SubscriptionSuite {
    /// Saves subscriptions, and passes to `body` a lane that delivers later changes.
    func with(
        _ operations: [JSONValue], database: String = "private",
        _ body: @escaping (LaneStack, RequestStack) async throws -> Void
    ) async throws {
        try await LaneStack.with { stack in
            let service = RequestStack(pool: stack.pool, record: stack.record)
            stack.record.make(zone)
            let saved = try await service.ask(
                .subscriptionsModify, as: zone, ["operations": .array(operations)],
                headers: [Header.database: .string(database)])
            #expect(saved["subscriptions"]?.array?.allSatisfy { $0["serverErrorCode"] == nil } == true, "\(saved)")
            try await body(stack, service)
        }
    }

    /// Waits for `count` messages to users and returns them.
    func reported(_ stack: LaneStack, count: Int) async throws -> [JSONValue] {
        let deliveries = try await stack.notifications.wait(for: "\(count) users' notifications") { deliveries in
            let users = deliveries.filter { $0.routingKey.hasPrefix("user.") }
            return users.count >= count ? users : nil
        }
        return try deliveries.map { try JSONValue(parsing: $0.body) }
    }

    func heard(_ bodies: [JSONValue]) -> [String] {
        bodies.compactMap { body in
            let subject = body["ck"]?["qry"] ?? body["ck"]?["fet"] ?? body["ck"]?["met"]
            guard let id = subject?["sid"]?.string else { return nil }
            return "\(id) \(subject?["rid"]?.string ?? "-")"
        }
    }
}

extension JSONValue {
    /// Returns an operation that creates a subscription.
    static func operation(_ subscription: JSONValue) -> JSONValue {
        ["operationType": "create", "subscription": subscription]
    }

    /// Returns an operation that creates a query subscription with comparisons for equality.
    static func watch(
        _ id: String, type: String = "Note", filter: [String: String], on events: [String], more: JSONValue = [:]
    ) -> JSONValue {
        let filters = filter.map { name, value -> JSONValue in
            [
                "fieldName": .string(name), "comparator": "EQUALS",
                "fieldValue": ["value": .string(value), "type": "STRING"],
            ]
        }
        let subscription: [Member] = [
            Member("subscriptionID", .string(id)), Member("subscriptionType", "query"),
            Member("query", ["recordType": .string(type), "filterBy": .array(filters)]),
            Member("firesOn", .array(events.map { .string($0) })),
        ]
        return operation(.object(subscription + (more.members ?? [])))
    }
}

extension TestZone {
    /// Returns the change event of a transaction that changed records of a type, with their values.
    func event(
        _ changes: [(ChangedRecord.Kind, String, [String: String])], from first: Int64 = 1, type: String = "Note",
        by user: String? = nil, client: String? = nil
    ) -> ChangeEvent {
        let records = changes.enumerated().map { index, change in
            let fields = change.2.map { JSONValue.Member($0, ["value": .string($1), "type": "STRING"]) }
            let stamp: JSONValue = ["timestamp": 1, "userRecordName": .string(user ?? address.owner)]
            return ChangedRecord(
                name: RecordName(unchecked: change.1), type: type, seq: first + Int64(index), kind: change.0,
                record: [
                    "recordName": .string(change.1), "fields": .object(fields), "created": stamp, "modified": stamp,
                ])
        }
        var event = event(first...(first + Int64(changes.count) - 1), client: client)
        event.records = ChangedRecord.json(records)
        return event
    }
}
