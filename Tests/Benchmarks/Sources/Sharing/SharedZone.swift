internal import AMQPClient
internal import CloudKitWire
internal import Foundation
internal import ServiceMessages

/// A zone of the user in `.zonda/env`, with a root that the user shares with participants.
struct SharedZone: Sendable {
    /// The name of the root that ``prepare(_:users:)`` saves.
    static let root = "root.0"
    private static let inFlight = 8

    /// The name of the zone.
    let name: String

    /// The owner of all zones.
    static var owner: String { LoadShape.headers().string(Header.user) ?? "" }

    /// Returns the user record name of the participant with a number.
    static func participant(_ number: Int) -> String {
        "_" + String(repeating: "e", count: 16) + hexadecimal(UInt64(number), digits: 16)
    }

    /// Returns requests of a participant in the shared database.
    static func requests(of participant: String) -> ServiceAnswer {
        ServiceAnswer(user: participant, database: "shared")
    }

    /// Creates zones, each with a root. Shares each root with `users`, who accept; does not share the roots if `users`
    /// is nil.
    ///
    /// - Throws: ``LimitFailure`` if the service refuses a request; `AMQPError`.
    static func prepare(_ zones: [SharedZone], users: [String]?) async throws {
        let producers = Producers(configuration: try LimitEnvironment.broker(), count: 1, inFlight: inFlight)
        _ = try await producers.run { client, place in
            for number in stride(from: place, to: zones.count, by: inFlight) {
                let zone = zones[number]
                try await zone.create(over: client)
                let root = LoadShape(operations: 1, sizeBytes: 300).body(zone: zone.name, namePrefix: "root")
                _ = try await zone.ask(.recordsModify, root, ServiceAnswer(), over: client)
                if let users { try await zone.share(with: users, over: client) }
            }
        }
    }

    /// Creates the zone without a root.
    func create(over client: AMQPRPCClient) async throws {
        let body = #"{"operations":[{"operationType":"create","zone":{"zoneID":\#(LoadShape.zoneID(name))}}]}"#
        _ = try await ask(.zonesModify, Array(body.utf8), ServiceAnswer(), over: client)
    }

    /// Returns a `records/modify` that shares a record with users, who may write.
    func shareBody(root: String = Self.root, with users: [String]) -> [UInt8] {
        let participants = users.map {
            #"{"type":"USER","permission":"READ_WRITE","acceptanceStatus":"INVITED","#
                + #""userIdentity":{"userRecordName":"\#($0)"}}"#
        }
        return Array(
            (#"{"zoneID":\#(LoadShape.zoneID(name)),"operations":[{"operationType":"create","record":{"#
                + #""recordName":"share","recordType":"cloudkit.share","fields":{},"#
                + #""forRecord":{"recordName":"\#(root)"},"participants":[\#(participants.joined(separator: ","))]}}]}"#)
                .utf8)
    }

    private func share(with users: [String], over client: AMQPRPCClient) async throws {
        let answer = try await ask(.recordsModify, shareBody(with: users), ServiceAnswer(), over: client)
        guard let link = try JSONValue(parsing: answer)["records"]?[0]?["shortGUID"]?.string else {
            throw LimitFailure("the share has no link: \(String(decoding: answer.prefix(1000), as: UTF8.self))")
        }
        let acceptance = Array(#"{"shortGUIDs":[{"value":"\#(link)"}]}"#.utf8)
        for user in users {
            _ = try await ask(.recordsAccept, acceptance, ServiceAnswer(user: user, database: "public"), over: client)
        }
    }

    private func ask(
        _ operation: ServiceMessages.Operation, _ body: [UInt8], _ service: ServiceAnswer, over client: AMQPRPCClient
    ) async throws -> [UInt8] {
        let answer = try await service.answer(to: operation, body: body, over: client, slot: 0, number: 0)
        try ReadZone.check(answer)
        return answer
    }
}
