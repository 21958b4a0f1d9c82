/// Measures several sides in turn, so that other work on the machine affects all of them.
enum Turns {
    /// Calls `measure` for each side in each round. Every second round has the reverse order, because a side can leave
    /// work in the background that slows the next one down.
    ///
    /// - Throws: the first failure of `measure`.
    static func run<Side>(_ sides: [Side], rounds: Int, _ measure: (Side) async throws -> Void) async throws {
        for round in 0..<rounds {
            for side in round.isMultiple(of: 2) ? sides : sides.reversed() { try await measure(side) }
        }
    }
}
