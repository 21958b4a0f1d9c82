import Foundation
import Glibc

/// A service that runs as in a deployment: the built program, with its settings in the environment and its health over
/// HTTP.
package final class ServiceProcess: Sendable {
    private let process: ChildProcess
    private let port: Int

    /// Starts `program` from the environment's binaries. It may not be ready yet, or may end immediately.
    ///
    /// - Parameter settings: the environment variables. If `ZONDA_HEALTH_PORT` is absent, it is set to a free port.
    /// - Throws: ``TestFailure`` if the program cannot be started.
    package init(
        _ program: String, arguments: [String] = [], settings: [String: String], in environment: TestEnvironment
    ) throws {
        port = try HTTPProbe.freePort()
        let own = ProcessInfo.processInfo.environment
        var variables = ["ZONDA_HEALTH_PORT": String(port)]
        // `ZONDA_TEST_RUN` is the mark by which the run's script finds the processes that a crashed test has left
        // behind.
        for name in ["PATH", "HOME", "LD_LIBRARY_PATH", "ZONDA_TEST_RUN"] { variables[name] = own[name] }
        variables.merge(settings) { $1 }
        process = try ChildProcess(
            "\(environment.binaries)/\(program)", arguments, environment: variables)
    }

    deinit { process.send(SIGKILL) }

    /// The process's id.
    package var id: Int32 { process.id }

    /// The log so far.
    package var log: String { process.errorText }

    /// Returns all output of the service: standard output, log, health and metrics.
    package func everythingTold() async -> String {
        var reported = [process.outputText, log]
        for path in ["/health/live", "/health/ready", "/metrics"] {
            reported.append(await HTTPProbe.get(path, port: port)?.body ?? "")
        }
        return reported.joined(separator: "\n")
    }

    /// The way in which the service ended; nil while it is running.
    package var exit: ChildProcess.Exit? { process.exit }

    /// The URL of the service's metrics.
    package var metricsURL: String { "http://127.0.0.1:\(port)/metrics" }

    /// Waits until the service reports that it is ready. Asks at short intervals.
    ///
    /// - Throws: ``TestFailure`` with the log if the service ends, or is not ready within `limit`.
    package func waitUntilReady(within limit: Duration = .seconds(30)) async throws {
        try await poll("ready", within: limit) { $0.isEmpty }
    }

    /// Waits until the service reports that it is not ready, for a reason that contains `text`.
    ///
    /// - Throws: ``TestFailure`` with the log if the service ends, or does not report such a reason within `limit`.
    package func waitUntilNotReady(because text: String, within limit: Duration = .seconds(30)) async throws {
        try await poll("not ready: \(text)", within: limit) { $0.contains { $0.contains(text) } }
    }

    /// Returns the reasons that `/health/ready` gives for not being ready. They are empty if the service is ready, and
    /// nil if it does not answer.
    package func reasonsNotReady() async -> [String]? {
        guard let response = await HTTPProbe.get("/health/ready", port: port) else { return nil }
        if response.status == 200 { return [] }
        return response.body.split(separator: "\n").map(String.init)
    }

    /// Returns the page with the service's metrics.
    ///
    /// - Throws: ``TestFailure`` if the service does not answer.
    package func metrics() async throws -> String {
        guard let response = await HTTPProbe.get("/metrics", port: port), response.status == 200 else {
            throw TestFailure("/metrics does not answer")
        }
        return response.body
    }

    /// Returns the current sum of a metric's series; 0 if it has none.
    ///
    /// - Throws: ``TestFailure`` if the service does not answer.
    package func metric(_ name: String) async throws -> Int {
        try await metrics().split(separator: "\n").reduce(0) { sum, line in
            guard line.hasPrefix(name), let next = line.dropFirst(name.count).first, next == " " || next == "{",
                let value = line.split(separator: " ").last.flatMap({ Int($0) })
            else { return sum }
            return sum + value
        }
    }

    /// Returns the peak resident memory, in bytes.
    ///
    /// - Throws: ``TestFailure`` if the service does not answer.
    package func peakMemory() async throws -> Int { try await metric("process_peak_resident_bytes") }

    /// Asks the service to stop (SIGTERM).
    package func terminate() { process.send(SIGTERM) }

    /// Ends the service as a crash would (SIGKILL).
    package func kill() { process.send(SIGKILL) }

    /// Waits for the service to end.
    ///
    /// - Throws: ``TestFailure`` if it runs for longer than `limit`.
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
