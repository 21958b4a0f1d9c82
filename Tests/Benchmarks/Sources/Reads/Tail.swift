internal import AMQPClient
internal import CloudKitWire
internal import Foundation
internal import ServiceMessages

/// How long the last changes of a zone take, fetched by a token: what a client asks that was away for a moment.
struct Tail: Sendable {
    let zone: ReadZone
    /// Changes since the token.
    let changeCount: Int
    /// How often they are fetched.
    let repeatCount: Int

    /// The seconds of each fetch, one after the other, in order of their length.
    ///
    /// - Throws: ``LimitFailure`` when an answer has not got exactly these changes, and the first failure of a request.
    func bySeconds() async throws -> [Double] {
        let service = ServiceAnswer()
        let producer = Producers(configuration: try LimitEnvironment.broker(), count: 1, inFlight: 1)
        let (results, _) = try await producer.run { client, place in
            let lookup = Array(#"{"zones":[{"zoneName":"\#(zone.name)"}]}"#.utf8)
            let found = try JSONValue(
                parsing: try await service.answer(to: .zonesLookup, body: lookup, over: client, slot: place, number: 0))
            guard let token = found["zones"]?[0]?["syncToken"]?.string else {
                throw LimitFailure("the zone has no token: \(String(decoding: found.encoded(), as: UTF8.self))")
            }
            // New records: the zone's others stay as old as they are.
            let shape = LoadShape(operations: changeCount, sizeBytes: zone.sizeBytes)
            let saves = shape.body(zone: zone.name, namePrefix: "tail.\(UUID().uuidString)")
            try ReadZone.check(
                try await service.answer(to: .recordsModify, body: saves, over: client, slot: place, number: 1))
            let body = zone.changes(after: token, limit: changeCount)
            var seconds: [Double] = []
            for number in 0..<repeatCount {
                let start = ContinuousClock.now
                let answer = try await service.answer(
                    to: .changesZone, body: body, over: client, slot: place, number: 2 + number)
                seconds.append((ContinuousClock.now - start).seconds)
                guard answer.occurrences(of: #""recordName":"#) == changeCount else {
                    throw LimitFailure(
                        "the answer has other changes: \(String(decoding: answer.prefix(500), as: UTF8.self))")
                }
            }
            return seconds.sorted()
        }
        return results[0]
    }
}
