import AMQPClient
import CloudKitWire
import Foundation
import PostgresClient
import ServiceMessages
import TestSupport
import Testing

/// A zone of an owner that is shared, or whose records are shared, while others use it.
struct RaceZone: Sendable {
    /// The name of every such zone.
    static let name = "Race"
    /// The duration of a race; `ZONDA_TEST_RACE_SECONDS` changes it.
    static let duration = Duration.seconds(
        ProcessInfo.processInfo.environment["ZONDA_TEST_RACE_SECONDS"].flatMap { Int($0) } ?? 5)

    /// The services and servers.
    let stack: ServiceStack
    /// The owner of the zone, in the private database.
    let owner: TestClient

    /// Whether shares are of the whole zone instead of a root and the records below it.
    let isSharedAsWhole: Bool

    /// Creates the zone of a new owner.
    init(on stack: ServiceStack, isSharedAsWhole: Bool = false) async throws {
        self.stack = stack
        self.isSharedAsWhole = isSharedAsWhole
        owner = stack.client()
        try await owner.zones("create", Self.name)
    }

    /// The id of the zone as participants write it.
    var id: JSONValue { ["zoneName": .string(Self.name), "ownerRecordName": .string(owner.user)] }

    /// Returns a new user in the shared database.
    func guest() -> TestClient { stack.client().with(Header.database, "shared") }

    /// Returns an operation on a record of type `Note`.
    static func operation(
        _ kind: String, _ name: String, below parent: String? = nil, fields: JSONValue = ["n": ["value": 1]]
    ) -> JSONValue {
        var record: [JSONValue.Member] = [
            .init("recordName", .string(name)), .init("recordType", "Note"), .init("fields", fields),
        ]
        if let parent { record.append(.init("parent", ["recordName": .string(parent)])) }
        return ["operationType": .string(kind), "record": .object(record)]
    }

    /// Sends operations as the owner or, in the shared database, as a participant.
    func modify(as client: TestClient, _ operations: JSONValue...) async throws -> TestReply {
        try await client.ask(
            .recordsModify, ["zoneID": id, "operations": .array(operations), "atomic": false], within: .seconds(60))
    }

    /// Saves as the owner.
    ///
    /// - Returns: the records in the answer, none of which is an error.
    @discardableResult
    func save(_ operations: JSONValue...) async throws -> [JSONValue] {
        let reply = try await owner.ask(
            .recordsModify, ["zoneID": id, "operations": .array(operations), "atomic": true], within: .seconds(60))
        let records = try #require(reply["records"]?.array, "\(reply.body)")
        for record in records { try #require(record.errorCode == nil, "\(record)") }
        return records
    }

    /// Runs a statement in the database.
    var query: ZoneMembership.Query {
        { [stack] statement, parameters in try await stack.database.query(statement, parameters) }
    }

    /// Waits until no background job has to complete a change of the membership, and expects that each record is in the
    /// share of its parent.
    ///
    /// - Returns: the members of each share.
    @discardableResult
    func expectRightMembership() async throws -> [String: Set<String>] {
        let membership = try await eventually("the membership is settled") {
            let membership = try await ZoneMembership(ofZone: Self.name, owner: owner.user, query: query)
            return membership.isSettled ? membership : nil
        }
        #expect(membership.problems == [], "records in the wrong share")
        return membership.members
    }

    /// Returns the change numbers of all records of the zone, by name.
    func changeNumbers() async throws -> [String: Int64] {
        let rows = try await query(
            """
            select r.name, r.change_seq from record.record r join record.zone z on z.id = r.zone
            join record.database d on d.id = z.database
            where d.owner = $1 and z.name = $2 and r.environment = d.environment
            """, [.text(owner.user), .text(Self.name)])
        return Dictionary(uniqueKeysWithValues: rows.map { ($0.string(0), $0.int64(1)) })
    }
}

extension JSONValue {
    /// The value as JSON.
    var text: String { String(decoding: encoded(), as: UTF8.self) }
}
