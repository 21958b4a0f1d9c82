internal import AMQPClient

/// The feed of a zone whose records are all in one share, read by the owner of the zone and by a participant.
struct SharedWalks: Sendable {
    /// The result of one side.
    typealias Side = (counts: ReadCounts, elapsed: Duration)

    private static let user = SharedZone.participant(0)

    /// The name of the zone.
    let name: String
    /// The number of records below the root.
    let recordCount: Int
    /// The size of the operation that creates a record, in bytes.
    let sizeBytes: Int
    /// The number of records in a page.
    let pageCount: Int
    /// The duration of all measurements of a side.
    let duration: Duration
    /// The number of parts into which the duration is divided.
    let rounds: Int

    /// Fills the zone, and reads the feed as the owner and as a participant in turn.
    ///
    /// - Throws: ``LimitFailure`` if a walk has not found every record once; the first failure of a request.
    func run(_ walkers: Producers) async throws -> (owner: Side, participant: Side) {
        try await SharedZone.prepare([SharedZone(name: name)], users: [Self.user])
        var filled = ReadZone(name: name, recordCount: recordCount, sizeBytes: sizeBytes)
        filled.parent = { _ in SharedZone.root }
        try await filled.fill()
        var sides = [Side](repeating: (ReadCounts(), .zero), count: 2)
        try await Turns.run([0, 1], rounds: rounds) { side in
            let (counts, elapsed) = try await walks(byParticipant: side == 1).byService(walkers)
            sides[side] = (sides[side].counts + counts, sides[side].elapsed + elapsed)
        }
        return (sides[0], sides[1])
    }

    private func walks(byParticipant: Bool) -> Walks {
        // The feed also contains the root and the share.
        var zone = ReadZone(name: name, recordCount: recordCount + 2, sizeBytes: sizeBytes)
        zone.owner = byParticipant ? SharedZone.owner : nil
        var walks = Walks(zone: zone, pageCount: pageCount, duration: duration / rounds)
        if byParticipant { walks.service = SharedZone.requests(of: Self.user) }
        return walks
    }
}
