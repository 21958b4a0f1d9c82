import ServiceMessages
import TestGenerators
import TestSupport
import Testing

extension EndToEndTests {
    /// Every attack that once stopped a service, on one stack, while `zonda load records --verify` runs and honest
    /// clients save and read. No save may be lost, stale or refused.
    @Suite(.timeLimit(.minutes(10))) struct KnownAttackTests {
        /// The number of strikes for each attack.
        private static let strikes = 3
        /// The duration of the load in seconds, which is about that of the attacks.
        private static let seconds = 20
        /// The time in seconds for which the load runs before the attacks begin.
        private static let quiet = 2
        /// Attacks that hold a lock and wait. They run concurrently with the others, which run one after the other.
        private static let holding: Set<HostileKind> = [.heldSchema, .heldZone]

        @Test func aLoadBesideAttacksLosesNothing() async throws {
            let kinds = HostileKind.known.filter(HostileSettings().kinds.contains)
            try await ServiceStack.withHostileServices { stack, services in
                let letters = DeadLetterWatch()
                let honest = HonestClients(on: stack)
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { try await letters.run(stack.vhost.url) }
                    defer { group.cancelAll() }
                    let ground = try await HostileGround(on: stack, deadLetters: letters, seed: 1)
                    group.addTask { try await honest.run() }
                    let load = try await LoadRun(on: stack, seconds: Self.seconds, quiet: Self.quiet) {
                        async let held: Void = Self.attack(kinds.filter(Self.holding.contains), ground, honest)
                        async let others: Void = Self.attack(
                            kinds.filter { !Self.holding.contains($0) }, ground, honest)
                        _ = try await (held, others)
                    }
                    load.expectNothingFailed()
                    honest.stop()
                }
                #expect(!honest.report.latencies.isEmpty)
                #expect(honest.report.failures.prefix(5) == [])
                for (name, process) in services {
                    #expect(process.exit == nil, "\(name)")
                    #expect(process.errors.prefix(5) == [], "\(name)")
                }
            }
        }

        /// Executes the attacks one after the other, and reports after each kind whether an honest client or a service
        /// failed in the meantime.
        private static func attack(
            _ kinds: [HostileKind], _ ground: HostileGround, _ honest: HonestClients
        ) async throws {
            for kind in kinds {
                let begin = ContinuousClock.now
                let failed = honest.report.failures.count
                // The numbers do not depend on the other chosen kinds, because the messages' ids contain them.
                let first = (HostileKind.known.firstIndex(of: kind) ?? 0) * strikes
                var generator = SeededGenerator(seed: 1)
                for number in first..<first + strikes {
                    let outcome = try await KnownAttacks(ground: ground).strike(kind, number: number, &generator)
                    print("\(kind.rawValue): \(outcome)")
                    if case .failed(let what) = outcome { Issue.record("\(kind.rawValue): \(what)") }
                }
                print("\(kind.rawValue): \(ContinuousClock.now - begin)")
                #expect(honest.report.failures.dropFirst(failed).prefix(5) == [], "beside \(kind.rawValue)")
                #expect(ground.stack.services.allSatisfy { $0.exit == nil }, "\(kind.rawValue)")
            }
        }
    }
}
