import AMQPClient
import ServiceMessages
import TestGenerators
import TestSupport
import Testing

extension EndToEndTests {
    /// Each attack that once stopped a service, while `zonda load records --verify` runs and honest clients save and read: no
    /// save is lost, stale or refused.
    @Suite(.timeLimit(.minutes(10))) struct KnownAttackTests {
        /// Strikes in a load.
        private static let strikes = 3
        /// How long a load lasts, seconds.
        private static let seconds = 6

        @Test(arguments: HostileKind.known.filter(HostileSettings().kinds.contains))
        func loadBesideAnAttackLosesNothing(_ kind: HostileKind) async throws {
            try await ServiceStack.withHostileServices { stack, services in
                let letters = DeadLetterWatch()
                let honest = HonestClients(on: stack)
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { try await letters.run(stack.vhost.url) }
                    defer { group.cancelAll() }
                    let ground = try await HostileGround(on: stack, deadLetters: letters, seed: 1)
                    group.addTask { try await honest.run() }
                    let load = try await LoadRun(on: stack, seconds: Self.seconds) {
                        var generator = SeededGenerator(seed: 1)
                        for number in 0..<Self.strikes {
                            let outcome = try await KnownAttacks(ground: ground).strike(
                                kind, number: number, &generator)
                            print("\(kind.rawValue): \(outcome)")
                            if case .failed(let what) = outcome { Issue.record("\(kind.rawValue): \(what)") }
                        }
                    }
                    load.expectNothingFailed()
                    honest.stop()
                }
                #expect(honest.report.failures.prefix(5) == [])
                for (name, process) in services {
                    #expect(process.exit == nil, "\(name)")
                    #expect(process.errors.prefix(5) == [], "\(name)")
                }
            }
        }
    }
}
