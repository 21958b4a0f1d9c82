import AMQPClient
import CloudKitWire
import Foundation
import ServiceMessages
import TestSupport
import Testing

extension EndToEndTests.RestartTests {
    /// The guarantee in `deploy/docs/architecture.md`, "A notification". Every committed change reaches every
    /// subscriber and no other user, at least once, in the zone's order, and with an id that identifies repeats, no
    /// matter which process is killed in the meantime.
    @Suite(.timeLimit(.minutes(8))) struct NotificationGuaranteeTests {
        /// The time during which writers write; `ZONDA_TEST_GUARANTEE_SECONDS` changes it.
        private static let seconds =
            ProcessInfo.processInfo.environment["ZONDA_TEST_GUARANTEE_SECONDS"].flatMap { Int($0) } ?? 25

        @Test(arguments: [1, 2]) func everyChangeIsHeardWhateverDies(instances: Int) async throws {
            try await ServiceStack.with { stack in
                var living: [ServiceName: [ServiceProcess]] = [:]
                for name in [ServiceName.asset, .record, .subscription] {
                    for _ in 0..<instances {
                        living[name, default: []].append(try await stack.startService(name, Self.settings))
                    }
                }
                let client = stack.client()
                let load = try SubscriptionLoad(on: stack, user: client.user, seconds: Self.seconds)
                // The load expects notifications of every change of its zones. Therefore, no other client writes before
                // the load listens. The load saves its subscriptions first, which takes some time in debug builds.
                let zone = try await eventually("the load makes zones", within: .seconds(90)) { () -> String? in
                    try await client.databaseChanges().body.zoneNames.first { $0 != "_defaultZone" }
                }
                try await eventually("the load writes to the zone", within: .seconds(90)) {
                    try await client.changes(zone).recordNames.isEmpty ? nil : true
                }
                // Each step waits until changes are notified again.
                for name in [ServiceName.record, .subscription, .asset] {
                    living[name]?.removeFirst().kill()
                    living[name]?.append(try await stack.startService(name, Self.settings))
                    try await client.save(zone, "after-\(name)", ["n": 1])
                }
                try await stack.environment.control("restart", "rabbitmq")
                try await client.save(zone, "after-broker", ["n": 1])
                try await stack.environment.control("restart", "postgres")
                try await client.save(zone, "after-database", ["n": 1])
                // The change is committed, but its event is lost.
                try await client.with(Header.fault, "drop-event").save(zone, "dropped", ["n": 1])
                try await load.expectEverythingHeard()
                for service in living.values.joined() { #expect(service.errors == []) }
                // No commit was lost, so no cursor may be ahead of its zone.
                for service in living[.subscription] ?? [] {
                    #expect(try await service.metric("zonda_cursors_lowered_total") == 0)
                }
            }
        }

        private static let settings = ["ZONDA_FAULTS": "true"]
    }
}

/// A run of `zonda load subscriptions` against a stack.
private struct SubscriptionLoad {
    let process: ChildProcess
    let seconds: Int
    /// The number of saved subscriptions of all kinds, in addition to those of the watchers.
    private static let subscriptions = 60

    init(on stack: ServiceStack, user: String, seconds: Int) throws {
        self.seconds = seconds
        let settings = ["ZONDA_AMQP_URL": stack.vhost.url, "ZONDA_CONTAINER": stack.container, "ZONDA_USER": user]
        process = try ChildProcess(
            "\(stack.environment.binaries)/zonda",
            [
                "load", "subscriptions", "--producers", "4", "--zones", "20", "--watchers", "50", "--rate", "200",
                "--subscriptions", "\(Self.subscriptions)", "--duration", "\(seconds)s", "--settle", "60s", "--json",
            ], environment: ProcessInfo.processInfo.environment.merging(settings) { $1 })
    }

    func expectEverythingHeard() async throws {
        let exit = try await process.exit(within: .seconds(seconds + 180))
        guard let report = try? JSONValue(parsing: process.outputText) else {
            throw TestFailure("the load reported '\(process.outputText)' and \(process.errorText)")
        }
        print("load:", String(decoding: report.encoded(), as: UTF8.self))
        #expect(report["lost"] == 0)
        #expect(report["outOfOrder"] == 0)
        #expect(report["failed"] == 0)
        #expect((report["acknowledged"]?.int ?? 0) > 0)
        #expect((report["notifications"]?.int ?? 0) > (report["acknowledged"]?.int ?? 0))
        #expect((report["settledAfter"]?.double ?? .infinity) < 10_000)
        let matches = try #require(report["matches"])
        for key in [
            "lost", "foreign", "disordered", "firedOnceTwice", "wronglyListed", "unknownRepeats", "malformed",
            "unresolved", "unsaved",
        ] { #expect(matches[key] == 0, "\(key)") }
        #expect(matches["subscriptions"]?.int == Int64(Self.subscriptions))
        #expect((matches["changes"]?.int ?? 0) > 0)
        #expect((matches["expected"]?.int ?? 0) > (matches["changes"]?.int ?? 0))
        for (kind, findings) in matches["kinds"]?.members?.map({ ($0.key, $0.value) }) ?? [] {
            #expect((findings["received"]?.int ?? 0) > 0, "\(kind)")
        }
        #expect(exit == .code(0))
    }
}
