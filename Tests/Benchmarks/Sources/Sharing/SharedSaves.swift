internal import AMQPClient
internal import CloudKitWire
internal import Foundation
internal import ServiceMessages

/// Saves below the roots of zones: into trees that are not shared, and into shared trees by their owner and by a
/// participant.
struct SharedSaves: Sendable {
    /// A kind of saves. Each kind has zones of its own.
    enum Side: String, CaseIterable, Sendable {
        /// The owner saves into trees that are not shared.
        case unshared
        /// The owner saves into shared trees.
        case owner
        /// A participant saves into shared trees.
        case participant
    }

    private static let warmUp: Duration = .milliseconds(500)
    private static let user = SharedZone.participant(0)

    /// The number of zones of each side.
    let zoneCount: Int
    /// The size of one record's operation, in bytes.
    let sizeBytes: Int
    /// The fraction of the saves that change an existing record.
    let updates: Double
    /// The duration of all measurements of a side.
    let duration: Duration
    /// The number of parts into which the duration is divided.
    let rounds: Int

    /// Measures the sides in turn.
    ///
    /// - Throws: ``LimitFailure`` if the service refuses a request; the first failure of a request.
    func run(_ producers: Producers) async throws -> [Side: Throughput] {
        for side in Side.allCases {
            try await SharedZone.prepare(
                (0..<zoneCount).map { SharedZone(name: Self.zone(side, $0)) },
                users: side == .unshared ? nil : [Self.user])
        }
        var reached: [Side: Throughput] = [:]
        for side in Side.allCases { _ = try await save(side, producers, Self.warmUp) }
        try await Turns.run(Side.allCases, rounds: rounds) { side in
            let (counts, elapsed) = try await save(side, producers, duration / rounds)
            reached[side, default: Throughput(count: 0, elapsed: .zero)].count += counts.reduce(0, +)
            reached[side]?.elapsed += elapsed
        }
        return reached
    }

    private func save(
        _ side: Side, _ producers: Producers, _ duration: Duration
    ) async throws -> (results: [Int], elapsed: Duration) {
        let service = side == .participant ? SharedZone.requests(of: Self.user) : ServiceAnswer()
        var shape = LoadShape(operations: 1, sizeBytes: sizeBytes)
        shape.owner = side == .participant ? SharedZone.owner : nil
        shape.parent = { _ in SharedZone.root }
        let run = hexadecimal(.random(in: .min ... .max), digits: 8)
        return try await producers.run { [shape] client, place in
            let end = ContinuousClock.now + duration
            var (count, created) = (0, 0)
            while ContinuousClock.now < end {
                let isUpdate = created > 0 && .random(in: 0..<1) < updates
                let number = isUpdate ? .random(in: 0..<created) : created
                if !isUpdate { created += 1 }
                let zone = Self.zone(side, (place + number) % zoneCount)
                let body = shape.body(zone: zone, namePrefix: "s\(run).\(place)", first: number)
                try ReadZone.check(
                    try await service.answer(
                        to: .recordsModify, body: body, over: client, slot: place, number: count))
                count += 1
            }
            return count
        }
    }

    private static func zone(_ side: Side, _ number: Int) -> String { "\(side.rawValue)-\(number)" }
}
