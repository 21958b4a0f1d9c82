import CloudKitWire
import Foundation
import PostgresClient
import ServiceMessages
import Testing

@testable import RecordService
@testable import RecordStorage

/// The requests that tests of interests need.
extension RecordDatabase {
    /// Returns an element of `queries`.
    static func query(_ type: String = "Photo", _ filters: JSONValue..., zone: String? = nil) -> JSONValue {
        var members: [JSONValue.Member] = [
            .init("query", ["recordType": .string(type), "filterBy": .array(filters)])
        ]
        if let zone { members.append(.init("zoneID", ["zoneName": .string(zone)])) }
        return .object(members)
    }

    /// Returns a filter on a field.
    static func filter(_ comparator: String, _ field: String, _ value: JSONValue) -> JSONValue {
        ["comparator": .string(comparator), "fieldName": .string(field), "fieldValue": ["value": value]]
    }

    /// Declares an interest in a type.
    @discardableResult
    func watch(_ type: String = "Photo") async throws -> JSONValue {
        let answer = try await ask(.interestsSet, ["queries": [Self.query(type)]])
        try #require(answer["interests"]?[0]?["predicate"] != nil, "\(answer)")
        return answer
    }

    /// Returns all pages of a zone's log after a number.
    func log(of zone: ZoneEntry, after first: Int64 = 0) async throws -> [[ChangeEvent]] {
        var pages: [[ChangeEvent]] = []
        var seq = first
        while pages.count < 100 {
            let answer = try await ask(
                .changesLog, ["incarnation": .string(zone.incarnation.uuidString), "afterSeq": .int(seq)])
            let events = try #require(answer["events"]?.array, "\(answer)").map { try ChangeEvent($0) }
            pages.append(events)
            #expect(events.first.map { $0.fromSeq == seq + 1 } ?? true)
            seq = events.last?.toSeq ?? seq
            guard answer["moreComing"] == true else { break }
        }
        return pages
    }

    /// Returns the records in a zone's log after a number.
    func logged(_ zone: ZoneEntry, after seq: Int64 = 0) async throws -> [ChangedRecord] {
        try await log(of: zone, after: seq).flatMap { $0 }.flatMap { try $0.changedRecords() ?? [] }
    }

    /// Deletes the change log.
    func forgetLog() async throws { try await query("delete from record.change") }
}
