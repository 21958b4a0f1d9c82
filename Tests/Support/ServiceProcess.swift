import Foundation
import Glibc

/// A service run as its users run it: the built program, its settings in the environment, its health over HTTP.
package final class ServiceProcess: Sendable {
    private let process: ChildProcess
    private let port: Int

    /// Starts `program` of the environment's binaries; it may not be ready yet, or end at once.
    ///
    /// - Parameter settings: its variables; `ZONDA_HEALTH_PORT` is a free port unless it is given.
    /// - Throws: ``TestFailure`` when it cannot be started.
    package init(
        _ program: String, arguments: [String] = [], settings: [String: String], in environment: TestEnvironment
    ) throws {
        port = try HTTPProbe.freePort()
        let own = ProcessInfo.processInfo.environment
        var variables = ["ZONDA_HEALTH_PORT": String(port)]
        // The mark by which the run's script finds what a crashed test left behind.
        for name in ["PATH", "HOME", "LD_LIBRARY_PATH", "ZONDA_TEST_RUN"] { variables[name] = own[name] }
        variables.merge(settings) { $1 }
        process = try ChildProcess(
            "\(environment.binaries)/\(program)", arguments, environment: variables)
    }

    deinit { process.send(SIGKILL) }

    /// The process's id.
    package var id: Int32 { process.id }

    /// What it has logged so far.
    package var log: String { process.errorText }

    /// All its output: standard output, log, health and metrics.
    package func everythingTold() async -> String {
        var reported = [process.outputText, log]
        for path in ["/health/live", "/health/ready", "/metrics"] {
            reported.append(await HTTPProbe.get(path, port: port)?.body ?? "")
        }
        return reported.joined(separator: "\n")
    }

    /// How it ended; nil while it runs.
    package var exit: ChildProcess.Exit? { process.exit }

    /// The URL of its metrics.
    package var metricsURL: String { "http://127.0.0.1:\(port)/metrics" }

    /// Waits until it says that it is ready, asking often.
    ///
    /// - Throws: ``TestFailure`` with its log when it ends, or is not ready within `limit`.
    package func waitUntilReady(within limit: Duration = .seconds(30)) async throws {
        try await poll("ready", within: limit) { $0.isEmpty }
    }

    /// Waits until it reports a reason for not being ready that contains `text`.
    ///
    /// - Throws: ``TestFailure`` with its log when it ends, or does not say so within `limit`.
    package func waitUntilNotReady(because text: String, within limit: Duration = .seconds(30)) async throws {
        try await poll("not ready: \(text)", within: limit) { $0.contains { $0.contains(text) } }
    }

    /// What `/health/ready` gives as reasons for not being ready: none when it is; nil when it does not answer.
    package func reasonsNotReady() async -> [String]? {
        guard let response = await HTTPProbe.get("/health/ready", port: port) else { return nil }
        if response.status == 200 { return [] }
        return response.body.split(separator: "\n").map(String.init)
    }

    /// The page of its metrics.
    ///
    /// - Throws: ``TestFailure`` when the service does not answer.
    package func metrics() async throws -> String {
        guard let response = await HTTPProbe.get("/metrics", port: port), response.status == 200 else {
            throw TestFailure("/metrics does not answer")
        }
        return response.body
    }

    /// The sum of a metric's series at this moment; 0 when it has none.
    ///
    /// - Throws: ``TestFailure`` when the service does not answer.
    package func metric(_ name: String) async throws -> Int {
        try await metrics().split(separator: "\n").reduce(0) { sum, line in
            guard line.hasPrefix(name), let next = line.dropFirst(name.count).first, next == " " || next == "{",
                let value = line.split(separator: " ").last.flatMap({ Int($0) })
            else { return sum }
            return sum + value
        }
    }

    /// The most memory that it ever had resident, bytes.
    ///
    /// - Throws: ``TestFailure`` when the service does not answer.
    package func peakMemory() async throws -> Int { try await metric("process_peak_resident_bytes") }

    /// Asks it to finish (SIGTERM).
    package func terminate() { process.send(SIGTERM) }

    /// Ends it as a crash would (SIGKILL).
    package func kill() { process.send(SIGKILL) }

    /// Waits for its end.
    ///
    /// - Throws: ``TestFailure`` when it lives longer than `limit`.
    @discardableResult
    package func exit(within limit: Duration) async throws -> ChildProcess.Exit {
        try await process.exit(within: limit)
    }

    private func poll(
        _ what: String, within limit: Duration, _ isGood: ([String]) -> Bool
    ) async throws {
        let clock = ContinuousClock()
        let deadline = clock.now + limit
        var last: [String]?
        while clock.now < deadline {
            if let exit { throw TestFailure("the service ended with \(exit): \(log.suffix(2000))") }
            last = await reasonsNotReady()
            if let last, isGood(last) { return }
            try await clock.sleep(for: .milliseconds(30))
        }
        throw TestFailure("the service is not \(what) after \(limit), but \(last ?? ["silent"]): \(log.suffix(2000))")
    }
}
