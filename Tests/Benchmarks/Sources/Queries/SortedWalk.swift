internal import AMQPClient
internal import CloudKitWire
internal import ServiceMessages

/// All pages of a sorted query, one after the other.
struct SortedWalk: Sendable {
    let query: BenchQuery
    let zone: String

    /// Returns the duration of each page in seconds, in the order of the pages.
    ///
    /// - Throws: ``LimitFailure`` if the pages do not have as many records as the service counts.
    func bySeconds() async throws -> [Double] {
        let service = ServiceAnswer()
        let producer = Producers(configuration: try LimitEnvironment.broker(), count: 1, inFlight: 1)
        return try await producer.run { client, place in
            let count = BenchQuery(name: "all", recordType: query.recordType)
            let counted = try JSONValue(
                parsing: try await service.answer(
                    to: count.operation, body: count.body(zone: zone), over: client, slot: place, number: 0))
            let recordCount = counted["results"]?[0]?["aggregates"]?[0]?["value"]?["value"]?.int
            var (seconds, met, marker): ([Double], Int64, String?) = ([], 0, nil)
            repeat {
                let body = query.body(zone: zone, marker: marker)
                let start = ContinuousClock.now
                let answer = try await service.answer(
                    to: query.operation, body: body, over: client, slot: place, number: seconds.count + 1)
                seconds.append((ContinuousClock.now - start).seconds)
                let page = try JSONValue(parsing: answer)
                met += Int64(page["records"]?.array?.count ?? 0)
                marker = page["continuationMarker"]?.string
            } while marker != nil
            guard met == recordCount else {
                throw LimitFailure("a walk found \(met) of \(recordCount ?? 0) records")
            }
            return seconds
        }.results[0]
    }
}
