internal import ServiceMessages

/// Private databases of one container, each with a few records in its default zone.
struct PrivateDatabases: Sendable {
    private static let inFlight = 8

    /// The number of databases.
    let count: Int
    /// The records of each database.
    let zone: ReadZone

    /// Returns the name of a user, whose numbers start at 0.
    static func user(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        return "_" + String(repeating: "0", count: 32 - digits.count) + digits
    }

    /// Saves each database's records in one request.
    ///
    /// - Throws: ``LimitFailure`` if the service refuses a request; `AMQPError`.
    func fill() async throws {
        let producers = Producers(
            configuration: try LimitEnvironment.broker(), count: 1, inFlight: Self.inFlight)
        let body = zone.saves(first: 0, count: zone.recordCount)
        _ = try await producers.run { client, place in
            for number in stride(from: place, to: count, by: Self.inFlight) {
                let service = ServiceAnswer(user: Self.user(number))
                try ReadZone.check(
                    try await service.answer(to: .recordsModify, body: body, over: client, slot: place, number: number))
            }
        }
    }
}
