import ArgumentParser
import CloudKitModel
package import CloudKitWire
import ServiceMessages

extension GlobalOptions {
    /// Opens a session, lends it to `body`, and tells failures on standard error.
    ///
    /// - Parameter isScoped: false for operators' commands, which work in no container.
    /// - Throws: `ExitCode.failure` after telling; a `ValidationError` for missing options.
    package func withSession(isScoped: Bool = true, _ body: (BrokerSession) async throws -> Void) async throws {
        let url = try brokerURL()
        let scope =
            isScoped
            ? try scope()
            : RequestScope(container: "", environment: .development, database: .public, user: nil)
        try await failing { try await BrokerSession.with(url: url, scope: scope) { try await body($0) } }
    }

    /// Runs `body`; whatever it throws is told on standard error and becomes exit status 1.
    package func failing<Value>(_ body: () async throws -> Value) async throws -> Value {
        do {
            return try await body()
        } catch let error as ExitCode {
            throw error
        } catch {
            report(error)
            throw ExitCode.failure
        }
    }

    /// Tells an error on standard error, as JSON if results are.
    package func report(_ error: any Error) {
        guard let error = error as? any ReportableError else { return Console.report("zonda: \(error)") }
        Console.report(json ? error.json.text : error.line)
    }

    /// Prints `item` as JSON or by `line`; an item that is an error is told on standard error.
    ///
    /// - Returns: whether the item is no error.
    package func show(_ item: JSONValue, line: (JSONValue) -> String) -> Bool {
        if let refusal = RequestFailure.Refusal(item) {
            report(RequestFailure.refused(refusal))
            return false
        }
        Console.print(json ? item.text : line(item))
        return true
    }
}
