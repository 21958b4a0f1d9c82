import AMQPClient
import CloudKitWire
import Foundation
import ServiceMessages
import TestSupport
import Testing

/// A run of `zonda load records --verify` against a stack, with a disturbance in the middle.
struct LoadRun {
    private static let producers = 4
    private static let zones = 100

    /// The report that the load printed.
    let report: JSONValue
    /// The exit status of the load.
    let exit: ChildProcess.Exit
    private let stack: ServiceStack

    /// The duration in seconds of a load without a disturbance; `ZONDA_TEST_LOAD_SECONDS` shortens it.
    static var seconds: Int { seconds(12) }
    /// The duration in seconds of a load with a disturbance.
    static var disturbedSeconds: Int { seconds(8) }

    private static func seconds(_ usual: Int) -> Int {
        ProcessInfo.processInfo.environment["ZONDA_TEST_LOAD_SECONDS"].flatMap { Int($0) }.map { min($0, usual) }
            ?? usual
    }

    /// Runs the load, and runs `disturbance` after `quiet` seconds of it.
    ///
    /// - Parameters:
    ///   - seconds: the duration of the load.
    ///   - options: further options of the load.
    ///   - quiet: the time before the disturbance, in seconds; by default a third of the duration.
    /// - Throws: ``TestFailure`` if the load does not end; the errors of `disturbance`.
    init(
        on stack: ServiceStack, seconds: Int = LoadRun.disturbedSeconds, options: [String] = [], quiet: Int? = nil,
        disturbance: () async throws -> Void = {}
    ) async throws {
        self.stack = stack
        let client = stack.client()
        let environment = stack.environment
        let settings = [
            "ZONDA_AMQP_URL": stack.vhost.url, "ZONDA_CONTAINER": stack.container, "ZONDA_USER": client.user,
        ]
        // The events of one of the hundred zones show that the load is running, and since when.
        let zone = "*.*.development.private.\(client.user).load-0"
        let process = try await TestQueue.withBinding(
            to: Exchange.changes, zone, try stack.vhost.configuration()
        ) { box in
            let process = try ChildProcess(
                "\(environment.binaries)/zonda",
                [
                    "load", "records", "--producers", "\(Self.producers)", "--zones", "\(Self.zones)", "--duration",
                    "\(seconds)s", "--verify", "--json",
                ] + options, environment: ProcessInfo.processInfo.environment.merging(settings) { $1 })
            let quiet = UInt64(quiet.map { $0 * 1000 } ?? seconds * 1000 / 3)
            // On a busy machine, a hundred shares take a minute to create and accept.
            _ = try await box.wait(for: "the time before the disturbance", within: .seconds(150)) {
                deliveries -> Bool? in
                guard let first = deliveries.first(where: Self.isOfLoad).flatMap(Self.time),
                    let last = deliveries.last.flatMap(Self.time)
                else { return nil }
                return last >= first + quiet ? true : nil
            }
            try await disturbance()
            return process
        }
        exit = try await process.exit(within: .seconds(180))
        guard let report = try? JSONValue(parsing: process.outputText) else {
            throw TestFailure("the load reported '\(process.outputText)' and \(process.errorText)")
        }
        self.report = report
    }

    /// Whether a change is one of the load, rather than one that creates or accepts a share. The names of the load's
    /// records consist of the run, a slot and a number.
    private static func isOfLoad(_ delivery: AMQPDelivery) -> Bool {
        let records = (try? JSONValue(parsing: delivery.body))?["records"]?.array ?? []
        return records.contains { record in
            let parts = (record["recordName"]?.string ?? "").split(separator: ".")
            return parts.count == 3 && parts.dropFirst().allSatisfy { Int($0) != nil }
        }
    }

    private static func time(_ delivery: AMQPDelivery) -> UInt64? {
        (try? JSONValue(parsing: delivery.body))?["at"]?.int.map { UInt64($0) }
    }

    /// Expects that nothing was lost, applied twice or refused, and that the zones' counters have increased by exactly
    /// the number of distinct effective operations.
    func expectNothingLost() async throws {
        expectNothingFailed()
        let counters = try await ZoneCounters(of: stack.database)
        #expect(counters.zones == Self.zones)
        // Every write of the load changes its record. If none has failed, the number of acknowledged writes is that of
        // the effects.
        #expect(counters.sum == report["acknowledged"]?.int)
        #expect(counters.logged == counters.sum)
        #expect(counters.zonesWithGapsOrOverlaps == 0)
        #expect(counters.distinctRequests == counters.requests)
        #expect(counters.deadlocks == 0)
        for service in stack.services { #expect(service.errors == []) }
    }

    /// Expects that the load had no error and found all records that it saved.
    func expectNothingFailed() {
        print("load:", String(decoding: report.encoded(), as: UTF8.self))
        #expect(report["missing"] == 0)
        #expect(report["stale"] == 0)
        #expect(report["repeated"] == 0)
        #expect(report["lost"] == 0)
        #expect(report["foreign"] == 0)
        #expect(report["staleReads"] == 0)
        #expect(report["unverified"] == 0)
        #expect(report["failed"] == 0)
        #expect(report["errors"] == [:])
        #expect((report["acknowledged"]?.int ?? 0) > 0)
        #expect(exit == .code(0))
    }

    /// Expects that the service's memory has not exceeded its limit, which applies only to optimized programs.
    func expectSmall(_ service: ServiceProcess) async throws {
        let peak = try await service.peakMemory()
        print("peak memory: \(peak / 1_048_576) MiB")
        if stack.environment.hasReleaseBinaries { #expect(peak < 150_000_000) }
    }
}
