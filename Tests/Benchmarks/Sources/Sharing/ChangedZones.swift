internal import AMQPClient
internal import CloudKitWire
internal import Foundation
internal import ServiceMessages

/// The times of `changes.database` in the shared databases of two users: one to whom many shares are accepted, and one
/// with few. One shared zone has changed since the users' tokens.
struct ChangedZones: Sendable {
    private static let (many, few) = (SharedZone.participant(0), SharedZone.participant(1))

    /// The number of shares of the user with many shares. Each is in a zone of its own.
    let shareCount: Int
    /// The number of shares of the other user.
    let fewCount: Int
    /// The number of requests of each user.
    let repeatCount: Int

    /// Prepares the shares, and sends the requests of the two users in turn.
    ///
    /// - Throws: ``LimitFailure`` if an answer does not contain exactly the changed zone; `AMQPError`.
    func run() async throws -> (many: Latencies, few: Latencies) {
        let zones = (0..<shareCount).map { SharedZone(name: "zone-\($0)") }
        try await SharedZone.prepare(Array(zones.prefix(fewCount)), users: [Self.many, Self.few])
        try await SharedZone.prepare(Array(zones.dropFirst(fewCount)), users: [Self.many])
        let producer = Producers(configuration: try LimitEnvironment.broker(), count: 1, inFlight: 1)
        return try await producer.run { client, _ in
            let users = [Self.many, Self.few]
            let callers = users.map { TimedRequests(client: client, service: SharedZone.requests(of: $0)) }
            var tokens: [String] = []
            for (caller, count) in zip(callers, [shareCount, fewCount]) {
                tokens.append(try await token(of: caller, afterZones: count))
            }
            var shape = LoadShape(operations: 1, sizeBytes: 300)
            shape.parent = { _ in SharedZone.root }
            let body = shape.body(zone: zones[0].name, namePrefix: "changed")
            try ReadZone.check(
                try await ServiceAnswer().answer(to: .recordsModify, body: body, over: client, slot: 0, number: 0))
            var times: [[Duration]] = [[], []]
            try await Turns.run([0, 1], rounds: repeatCount) { user in
                let body = Array(#"{"syncToken":"\#(tokens[user])"}"#.utf8)
                times[user].append(
                    try await callers[user].ask(.changesDatabase, body, expecting: #""zoneName":"#, count: 1).time)
            }
            return (Latencies(times[0]), Latencies(times[1]))
        }.results[0]
    }

    /// Lists all zones, and returns the token of the last page.
    private func token(of caller: TimedRequests, afterZones count: Int) async throws -> String {
        var (token, found): (String?, Int) = (nil, 0)
        while true {
            let body = token.map { #"{"syncToken":"\#($0)"}"# } ?? "{}"
            let answer = try await caller.ask(.changesDatabase, Array(body.utf8), expecting: #""syncToken":"#, count: 1)
            let page = try JSONValue(parsing: answer.answer)
            found += page["zones"]?.array?.count ?? 0
            token = page["syncToken"]?.string
            if page["moreComing"]?.bool != true { break }
        }
        guard let token, found == count else { throw LimitFailure("the listing has \(found) of \(count) zones") }
        return token
    }
}
