internal import AMQPClient
internal import CloudKitModel
internal import Foundation
internal import ServiceMessages

/// The requests to a running service before its notifications are measured.
enum SubscriptionRequests {
    /// The number of operations in a request.
    private static let batch = 200

    /// Returns the address of a zone in the private database of the user in `.zonda/env`.
    static func address(ofZone name: String) -> ZoneAddress {
        let headers = LoadShape.headers()
        return ZoneAddress(
            container: headers.string(Header.container) ?? "",
            environment: headers.string(Header.environment).flatMap(EnvironmentName.init) ?? .development,
            scope: .private,
            owner: headers.string(Header.user) ?? "", zone: ZoneName(unchecked: name))
    }

    /// Creates the zone. If `zone` is nil, the method instead creates a record in the public database, so that the
    /// schema contains its type.
    static func prepare(zone: String?) async throws {
        guard let zone else {
            let body = LoadShape(operations: 1, sizeBytes: 300).body(zone: "_defaultZone", namePrefix: "first")
            _ = try await ask(.recordsModify, body, ServiceAnswer(database: "public"))
            return
        }
        let body = #"{"operations":[{"operationType":"create","zone":{"zoneID":{"zoneName":"\#(zone)"}}}]}"#
        _ = try await ask(.zonesModify, Array(body.utf8), ServiceAnswer())
    }

    /// Saves query subscriptions of several users in the public database.
    ///
    /// - Parameter number: returns the value of `n` that the subscription of a user with a number queries; nil to match
    ///   every record.
    static func subscribe(
        users: Int, each count: Int, _ number: @escaping @Sendable (Int, Int) -> Int?
    ) async throws {
        let producers = Producers(configuration: try LimitEnvironment.broker(), count: 2, inFlight: 2)
        _ = try await producers.run { client, place in
            for user in stride(from: place, to: users, by: 4) {
                let service = ServiceAnswer(user: name(ofUser: user), database: "public")
                for first in stride(from: 0, to: count, by: batch) {
                    let operations = (first..<min(first + batch, count)).map { index in
                        operation(id: "s\(index)", number: number(user, index))
                    }
                    let body = Array(#"{"operations":[\#(operations.joined(separator: ","))]}"#.utf8)
                    try ReadZone.check(
                        try await service.answer(
                            to: .subscriptionsModify, body: body, over: client, slot: place, number: user << 16 | first)
                    )
                }
            }
        }
    }

    /// Returns the name of a user with a number.
    static func name(ofUser number: Int) -> String {
        "_" + String(repeating: "f", count: 16) + hexadecimal(UInt64(number), digits: 16)
    }

    private static func operation(id: String, number: Int?) -> String {
        let filters = number.map {
            #"{"comparator":"EQUALS","fieldName":"n","fieldValue":{"value":\#($0),"type":"INT64"}}"#
        }
        return #"{"operationType":"create","subscription":{"subscriptionID":"\#(id)","subscriptionType":"query","#
            + #""query":{"recordType":"\#(LoadShape.recordType)","filterBy":[\#(filters ?? "")]},"#
            + #""firesOn":["create","update"],"notificationInfo":{"alertBody":"Something new"}}}"#
    }

    private static func ask(_ operation: ServiceMessages.Operation, _ body: [UInt8], _ service: ServiceAnswer)
        async throws -> [UInt8]
    {
        let producer = Producers(configuration: try LimitEnvironment.broker(), count: 1, inFlight: 1)
        return try await producer.run { client, place in
            let answer = try await service.answer(to: operation, body: body, over: client, slot: place, number: 0)
            try ReadZone.check(answer)
            return answer
        }.results[0]
    }
}
