import ArgumentParser

/// Prints errors to standard error, and ends the command with exit status 1.
package enum CommandFailure {
    /// Runs `body` and prints any error that it throws.
    ///
    /// - Parameter asJSON: whether errors are printed as JSON.
    /// - Throws: `ExitCode.failure` after printing the error. An `ExitCode` that `body` throws is rethrown without
    ///   being printed.
    package static func reporting<Value>(
        asJSON: Bool = false, _ body: () async throws -> Value
    ) async throws -> Value {
        do {
            return try await body()
        } catch let error as ExitCode {
            throw error
        } catch {
            report(error, asJSON: asJSON)
            throw ExitCode.failure
        }
    }

    /// Prints an error to standard error.
    package static func report(_ error: any Error, asJSON: Bool) {
        guard let error = error as? any ReportableError else { return Console.report("zonda: \(error)") }
        Console.report(asJSON ? error.json.text : error.line)
    }
}
