internal import AMQPClient
internal import CloudKitWire
internal import Foundation
internal import ServiceMessages

/// The time to fetch the last changes of a zone with a token, as a client does that was away for a moment.
struct Tail: Sendable {
    let zone: ReadZone
    /// The number of changes since the token.
    let changeCount: Int
    /// The number of times that they are fetched.
    let repeatCount: Int

    /// Fetches the changes repeatedly, and returns the durations in seconds, in ascending order.
    ///
    /// - Throws: ``LimitFailure`` if an answer does not contain exactly these changes; the first failure of a request.
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
            // The changes are new records, so the zone's other records keep their change numbers.
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
