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

/// How a participant leaves all shares of a zone, and what happens if another instance has made the zone again.
@Suite(.enabled(if: RecordDatabase.serverURL != nil), .timeLimit(.minutes(5)))
struct ZoneDepartureTests {
    /// Returns the answer to a `zones.modify` that deletes zone `Z`.
    ///
    /// - Parameter limit: the maximum number of shares that the request leaves.
    private static func leave(
        _ reader: SharedReader, messageID: String, limit: Int = 1000
    ) async throws -> Answer {
        let store = reader.database.store
        let departure = ZoneDeparture(
            pool: store.pool, directory: store.directory,
            transaction: WriteTransaction(
                pool: store.pool, schema: store.schema, tokens: store.tokens, receiptKeys: store.keys,
                limits: store.limits))
        let operation = ServiceMessages.Operation.zonesModify
        var headers = RecordDatabase.headers()
        headers[Header.user] = .string(reader.user)
        headers[Header.database] = .string(DatabaseScope.shared.wireName)
        var properties = AMQPProperties(messageID: messageID, headers: headers)
        properties.replyTo = "reply"
        let body: JSONValue = [
            "operations": [["operationType": "delete", "zone": ["zoneID": SharedReader.zoneID("Z")]]]
        ]
        let request = OpenedRequest(
            delivery: AMQPDelivery(
                queue: operation.queue, deliveryTag: 1, exchange: operation.exchange, routingKey: operation.rawValue,
                properties: properties, body: body.encoded()), operation: operation,
            context: try RequestContext(properties, operation: operation))
        return try await ZonesModifyOperation(
            directory: store.directory, ledger: store.ledger, tokens: store.tokens, limits: store.limits,
            maxDepartures: limit,
            leave: { try await departure.leave($0, $1, position: $2, environment: $3, limit: $4) }
        ).answer(request)
    }

    private static func zone(in answer: Answer) throws -> JSONValue {
        try #require(try JSONValue(parsing: answer.body)["zones"]?[0])
    }

    /// The names of the shares to which a user has access.
    private static func shares(of reader: SharedReader, in zone: ZoneEntry) async throws -> Set<String> {
        let rows = try await reader.database.query(
            """
            select s.name from record.participant p join record.share s on s.zone = p.zone and s.id = p.share
            where p.zone = $1 and p.user_name = $2 and p.status = 2
            """, [.int8(zone.row.rawValue), .text(reader.user)])
        return Set(rows.map { $0.string(0) })
    }

    @Test func severalSharesAreLeftInOneTransaction() async throws {
        try await SharedScene.with { (scene: SharedScene) async throws in
            let answer = try await Self.leave(scene.writer, messageID: "m")
            #expect(try Self.zone(in: answer)["deleted"] == true)
            #expect(answer.events.count == 1)
            #expect(try await Self.shares(of: scene.writer, in: scene.zone) == [])
            let writers = try await scene.database.query(
                "select count(distinct xmin::text)::int8 from record.participant where status = 4")
            #expect(writers.first?.int64(0) == 1)
        }
    }

    @Test func aRequestThatLeavesAsManySharesAsItMayIsRepeatedForTheOthers() async throws {
        try await SharedScene.with { (scene: SharedScene) async throws in
            let (database, zone, writer) = (scene.database, scene.zone, scene.writer)
            let first = try await Self.leave(writer, messageID: "m", limit: 2)
            let error = try JSONValue(parsing: first.body)
            #expect(error["ckErrorCode"] == 23)
            #expect(error["retryAfter"] == 1)
            // The events of the departures are published.
            #expect(first.events.count == 1)
            #expect(try await Self.shares(of: writer, in: zone) == ["B"])
            // A share that the user has joined again is not left by the repeated request.
            let tag = try await database.tag("P", in: zone)
            try await database.save(
                zone,
                database.share(
                    "update", "P", of: nil, tag: tag,
                    participants: [
                        RecordDatabase.participant(writer.user, "READ_ONLY"),
                        RecordDatabase.participant(scene.other.user),
                    ]))
            try await writer.accept("P", in: zone)
            let second = try await Self.leave(writer, messageID: "m", limit: 2)
            #expect(try Self.zone(in: second)["deleted"] == true)
            #expect(try await Self.shares(of: writer, in: zone) == ["P"])
            // The answer is kept.
            #expect(try await Self.leave(writer, messageID: "m", limit: 2).body == second.body)
            #expect(try await Self.shares(of: writer, in: zone) == ["P"])
        }
    }

    @Test func aRequestThatWasInterruptedBeforeItsAnswerGetsTheSameAnswerAgain() async throws {
        try await SharedScene.with { (scene: SharedScene) async throws in
            let (database, writer) = (scene.database, scene.writer)
            let first = try await Self.leave(writer, messageID: "m")
            #expect(try Self.zone(in: first)["deleted"] == true)
            // The service ended after the departures and before the answer was stored.
            try await database.query("delete from record.request where message_id = 'm'")
            #expect(try await Self.leave(writer, messageID: "m").body == first.body)
            // Another request finds no zone.
            #expect(try Self.zone(in: try await Self.leave(writer, messageID: "n"))["ckErrorCode"] == 26)
        }
    }

    @Test func anInterruptedRequestDoesNotLeaveAShareThatWasJoinedAgain() async throws {
        try await SharedScene.with { (scene: SharedScene) async throws in
            let (database, zone, writer) = (scene.database, scene.zone, scene.writer)
            let first = try await Self.leave(writer, messageID: "m")
            try await database.query("delete from record.request where message_id = 'm'")
            let tag = try await database.tag("B", in: zone)
            let participants = [RecordDatabase.participant(writer.user)]
            try await database.save(zone, database.share("update", "B", of: nil, tag: tag, participants: participants))
            try await writer.accept("B", in: zone)
            #expect(try await Self.leave(writer, messageID: "m", limit: 1).body == first.body)
            #expect(try await Self.shares(of: writer, in: zone) == ["B"])
        }
    }

    /// Zone `Z` with a share for a participant, deleted and made again by another instance. This instance remembers the
    /// deleted zone.
    private static func remade(
        _ body:
            @escaping @Sendable (RecordDatabase, SharedReader, _ old: ZoneEntry, _ new: ZoneEntry) async throws -> Void
    ) async throws {
        try await RecordDatabase.with { database in
            let reader = SharedReader(database, "b")
            let old = try await database.zone()
            let deletion: JSONValue = [
                "operations": [["operationType": "delete", "zone": ["zoneID": ["zoneName": "Z"]]]]
            ]
            _ = try await database.ask(.zonesModify, deletion)
            let new = try await database.zone()
            try #require(new.row != old.row)
            try await database.save(new, database.operation("create", "list"))
            try await database.save(
                new,
                database.share("create", "S", of: "list", participants: [RecordDatabase.participant(reader.user)]))
            try await body(database, reader, old, new)
        }
    }

    @Test func aZoneThatAnotherInstanceMadeAgainIsLeft() async throws {
        try await Self.remade { database, reader, old, new in
            try await reader.accept("S", in: new)
            database.store.directory.remember([old])
            #expect(try Self.zone(in: try await Self.leave(reader, messageID: "m"))["deleted"] == true)
            #expect(try await Self.shares(of: reader, in: new) == [])
        }
    }

    @Test func aShareInAZoneThatAnotherInstanceMadeAgainIsAccepted() async throws {
        try await Self.remade { database, reader, old, new in
            let link = try #require(try await database.record("S", in: new)["shortGUID"]?.string)
            database.store.directory.remember([old])
            let result = try await database.links(.recordsAccept, ["value": .string(link)], by: reader.user).results[0]
            #expect(result["participantStatus"] == "ACCEPTED", "\(result)")
            #expect(try await Self.shares(of: reader, in: new) == ["S"])
        }
    }
}
