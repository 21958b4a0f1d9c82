internal import AMQPClient
internal import CloudKitModel
internal import Foundation
internal import PostgresClient
internal import RecordService
internal import RecordStorage
internal import RequestServing
internal import ServiceMessages

/// A zone whose records are read by the service, and by PostgreSQL alone from the same table.
package struct ReadZone: Sendable {
    /// The number of records in a request that fills the zone.
    private static let fillCount = 200
    private static let fillsInFlight = 8
    private static let namePrefix = "r1000000.100"

    /// The name of the zone.
    let name: String
    /// The number of records. They are named `r1000000.100.0` and so on.
    let recordCount: Int
    /// The size of the operation that creates a record, as in a load, in bytes.
    let sizeBytes: Int
    /// The number of different values of the records' numbers; nil to give each record a unique number.
    let values: Int?
    /// The owner of the zone, in requests of participants; nil in requests of the owner.
    var owner: String?
    /// Returns the name of the parent of the record with a number; nil for a record without a parent.
    var parent: @Sendable (Int) -> String? = { _ in nil }

    /// Creates a zone with the given name.
    package init(name: String, recordCount: Int, sizeBytes: Int, values: Int? = nil) {
        (self.name, self.recordCount, self.sizeBytes, self.values) = (name, recordCount, sizeBytes, values)
    }

    /// Saves the records in the zone, which must exist, with a few requests in progress at a time.
    ///
    /// - Parameter inOrder: whether to send each request after the previous one has been answered, because its records
    ///   can be the parents of later ones.
    /// - Throws: ``LimitFailure`` if the service refuses a request; `AMQPError`.
    func fill(inOrder: Bool = false) async throws {
        let service = ServiceAnswer()
        let inFlight = inOrder ? 1 : Self.fillsInFlight
        let producers = Producers(configuration: try LimitEnvironment.broker(), count: 1, inFlight: inFlight)
        _ = try await producers.run { client, place in
            let step = Self.fillCount * inFlight
            for first in stride(from: place * Self.fillCount, to: recordCount, by: step) {
                let body = saves(first: first, count: min(Self.fillCount, recordCount - first))
                let answer = try await service.answer(
                    to: .recordsModify, body: body, over: client, slot: place, number: first)
                try Self.check(answer)
            }
        }
    }

    /// Returns a `records/modify` that saves `count` of the records.
    func saves(first: Int, count: Int) -> [UInt8] {
        var shape = LoadShape(operations: count, sizeBytes: sizeBytes)
        shape.values = values
        shape.parent = parent
        return shape.body(zone: name, namePrefix: Self.namePrefix, first: first)
    }

    /// Returns a `records/modify` that saves one additional record.
    func save(named name: String) -> [UInt8] {
        LoadShape(operations: 1, sizeBytes: sizeBytes).body(zone: self.name, namePrefix: name)
    }

    /// Returns the name of a random record.
    func anyName() -> String { Self.recordName(.random(in: 0..<recordCount)) }

    /// Returns the name of the record with a number, which is less than ``recordCount``.
    static func recordName(_ number: Int) -> String { "\(namePrefix).\(number)" }

    /// Returns a `records/lookup` of one record.
    func lookup(of record: String) -> [UInt8] {
        Array(#"{"zoneID":{"zoneName":"\#(name)"},"records":[{"recordName":"\#(record)"}]}"#.utf8)
    }

    /// Returns a `changes/zone` after `token`, or from the beginning if it is nil, for up to `limit` records.
    func changes(after token: String?, limit: Int) -> [UInt8] {
        let since = token.map { #","syncToken":"\#($0)""# } ?? ""
        let zoneID = LoadShape.zoneID(name, owner: owner)
        return Array(#"{"zones":[{"zoneID":\#(zoneID)\#(since),"resultsLimit":\#(limit)}]}"#.utf8)
    }

    /// Finds the zone's row.
    ///
    /// - Throws: ``LimitFailure`` if there is none.
    func row(over pool: PostgresPool) async throws -> ZoneEntry {
        let properties = AMQPProperties(messageID: UUID().uuidString, headers: LoadShape.headers())
        let context = try RequestContext(properties, operation: .recordsLookup)
        let directory = ZoneDirectory(pool: pool, createsContainers: false)
        guard let zone = try await directory.zone(ZoneName(unchecked: name), for: context, createDatabase: false) else {
            throw LimitFailure("there is no zone \(name)")
        }
        return zone
    }

    /// - Throws: ``LimitFailure`` if an item of the answer is an error.
    static func check(_ answer: [UInt8]) throws {
        guard answer.occurrences(of: #""serverErrorCode""#) == 0 else {
            throw LimitFailure("the service refused an item: \(String(decoding: answer.prefix(1000), as: UTF8.self))")
        }
    }
}
