import Foundation
import ServiceMessages
import TestSupport
import Testing

extension EndToEndTests {
    /// Every request of a producer, a user or a caller without credentials is answered, or dead-lettered with a reason,
    /// and all other callers are served in the meantime. ``HostileSettings`` lists the variables.
    @Suite(.timeLimit(.minutes(120))) struct HostileTests {
        @Test func hostileRequestsAreAnsweredAndHonestOnesServed() async throws {
            let settings = HostileSettings()
            print("hostile input: ZONDA_TEST_HOSTILE_SEED=\(settings.seed)")
            let deck = HostileDeck(try await .read(), seed: settings.seed, kinds: settings.kinds)
            try await ServiceStack.withHostileServices { stack, services in
                let letters = DeadLetterWatch()
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { try await letters.run(stack.vhost.url) }
                    defer { group.cancelAll() }
                    let ground = try await HostileGround(on: stack, deadLetters: letters, seed: settings.seed)
                    let attack = HostileAttack(deck: deck, ground: ground, verdict: HostileVerdict())
                    if let number = settings.onlyCase {
                        var broker = BrokerAttack(on: ground)
                        try await attack.send(number, &broker)
                        return Self.judge(attack.verdict)
                    }
                    try await Self.run(attack, services, settings)
                }
            }
        }

        private static func run(
            _ attack: HostileAttack, _ services: [(name: ServiceName, process: ServiceProcess)],
            _ settings: HostileSettings
        ) async throws {
            // A sixth of the time is used to measure the highest possible rate. The attack uses half of this rate.
            let trial = settings.rate == nil ? Double(settings.seconds) / 6 : 0
            let full = try await attack.run(from: 0, for: .seconds(trial))
            let rate = settings.rate ?? full.rate / 2
            let honest = HonestClients(on: attack.ground.stack)
            let memory = MemoryWatch(services)
            let sent = try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await honest.run() }
                group.addTask { await memory.run() }
                defer { group.cancelAll() }
                let sent = try await attack.run(
                    from: full.next, for: .seconds(Double(settings.seconds) - trial), rate: rate)
                honest.stop()
                return sent
            }
            let report = honest.report
            let peaks = services.map { name, process in
                let bound = MemoryWatch.bounds[name] ?? 0
                return "| \(name.rawValue) | \(mebibytes(memory.peak[name] ?? 0)) | \(mebibytes(bound)) | "
                    + "\(mebibytes(MemoryWatch.bytes(of: process, "VmHWM"))) |\n"
            }
            try publish(
                """
                Hostile input: seed \(settings.seed), \(attack.deck.count) cases, \(attack.verdict.total) requests; \
                \(rounded(full.rate)) a second fill the machine, \(rounded(sent.rate)) a second were sent for \
                \(rounded(Double(settings.seconds) - trial)) s.
                Honest requests: \(report.latencies.count), p50 \(report.percentile(50)), p99 \(report.percentile(99)), \
                longest \(report.latencies.max() ?? .zero), failed \(report.failures.count).

                | service | peak MiB at that rate | bound | peak MiB of all |
                | --- | ---: | ---: | ---: |
                \(peaks.joined())
                \(attack.verdict.tables)
                """, settings)
            judge(attack.verdict)
            #expect(report.failures.prefix(10) == [])
            #expect(!report.latencies.isEmpty)
            for (name, process) in services {
                #expect(process.exit == nil, "\(name)")
                #expect(process.errors.prefix(10) == [], "\(name)")
                #expect(memory.peak[name] ?? 0 < MemoryWatch.bounds[name] ?? 0, "\(name)")
            }
        }

        /// Records an issue for each of the first requests that were neither answered nor dead-lettered.
        private static func judge(_ verdict: HostileVerdict) {
            for failure in verdict.failures.prefix(40) { Issue.record("\(failure.what)\n\(failure.reproduction)") }
            #expect(verdict.failures.count == 0)
        }

        private static func publish(_ report: String, _ settings: HostileSettings) throws {
            print(report)
            if let path = settings.reportPath { try report.write(toFile: path, atomically: true, encoding: .utf8) }
        }

        private static func mebibytes(_ bytes: Int) -> Int { bytes / 1_048_576 }
        private static func rounded(_ number: Double) -> Int { Int(number.rounded()) }
    }
}

extension ServiceStack {
    /// Passes to `body` a stack with all services. No request waits there for longer than the time limit of a hostile
    /// request.
    ///
    /// - Throws: the errors of `body`.
    static func withHostileServices(
        _ body: (ServiceStack, [(name: ServiceName, process: ServiceProcess)]) async throws -> Void
    ) async throws {
        try await with { stack in
            var services: [(name: ServiceName, process: ServiceProcess)] = []
            for name in [ServiceName.asset, .record, .subscription, .gateway] {
                let settings = ["ZONDA_GATEWAY_REQUEST_TIME": "15s", "ZONDA_COURIER_WAIT": "1s"]
                services.append((name, try await stack.startService(name, name == .gateway ? settings : [:])))
            }
            try await body(stack, services)
        }
    }
}
