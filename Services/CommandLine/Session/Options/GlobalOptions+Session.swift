import ArgumentParser
import CloudKitModel
package import CloudKitWire
package import OperatorMessages

extension GlobalOptions {
    /// Opens a session, calls `body` with it, and prints failures to standard error.
    ///
    /// - Parameter isScoped: false for operator commands that do not act on a single container.
    /// - Throws: `ExitCode.failure` after printing a failure; a `ValidationError` for missing options.
    package func withSession<Value: Sendable>(
        isScoped: Bool = true, _ body: (BrokerSession) async throws -> Value
    ) async throws -> Value {
        let url = try brokerURL()
        let scope =
            isScoped
            ? try scope()
            : RequestScope(container: "", environment: .development, database: .public, user: nil)
        return try await failing { try await BrokerSession.with(url: url, scope: scope) { try await body($0) } }
    }

    /// Runs `body` and prints any error that it throws (as JSON with `--json`).
    ///
    /// - Throws: the same errors as ``CommandFailure/reporting(asJSON:_:)``.
    package func failing<Value>(_ body: () async throws -> Value) async throws -> Value {
        try await CommandFailure.reporting(asJSON: json, body)
    }

    /// Prints an error to standard error, as JSON with `--json`.
    package func report(_ error: any Error) { CommandFailure.report(error, asJSON: json) }

    /// Prints `item`, either as JSON or formatted by `line`. If it is an error, it is printed to standard error.
    ///
    /// - Returns: false if the item is an error.
    package func show(_ item: JSONValue, line: (JSONValue) -> String) -> Bool {
        if let refusal = RequestFailure.Refusal(item) {
            report(RequestFailure.refused(refusal))
            return false
        }
        Console.print(json ? item.text : line(item))
        return true
    }

    /// Prints `value`, either as JSON with the members in the order of the answer, or formatted by `line`.
    package func show<Value: Encodable>(_ value: Value, line: (Value) -> String) {
        Console.print(json ? JSONValue(encoding: value).text : line(value))
    }

    /// Sends an operator's request and prints the answer.
    ///
    /// - Parameters:
    ///   - isScoped: false for commands that do not act on a single container.
    ///   - line: formats the answer.
    /// - Returns: the answer.
    /// - Throws: the same errors as ``withSession(isScoped:_:)``.
    @discardableResult
    package func show<Body: OperatorRequest>(
        answerTo body: Body, isScoped: Bool = false, line: (Body.Answer) -> String
    ) async throws -> Body.Answer {
        try await withSession(isScoped: isScoped) { session in
            let answer = try await session.ask(body)
            show(answer, line: line)
            return answer
        }
    }

    /// Prints the items that an operator's list request returns, page by page.
    ///
    /// - Parameters:
    ///   - body: the request for the first page.
    ///   - items: returns the items of a page.
    ///   - line: formats an item.
    /// - Throws: the same errors as ``withSession(isScoped:_:)``.
    package func list<Body: OperatorListRequest, Item: Encodable>(
        _ body: Body, _ items: (Body.Answer) -> [Item], line: (Item) -> String
    ) async throws {
        try await withSession(isScoped: false) { session in
            try await session.pages(of: body, items) { show($0, line: line) }
        }
    }
}
