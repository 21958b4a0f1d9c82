import CommandLineSession

extension BrokerSession {
    /// Opens `count` sessions, each with its own connection, passes them to `body` and closes them afterwards.
    ///
    /// - Parameter window: the maximum number of requests in progress in each session.
    /// - Throws: the errors of ``with(url:scope:maxInFlight:policy:_:)``.
    static func withSeveral<Result: Sendable>(
        _ count: Int, url: String, scope: RequestScope, window: Int, opened: [BrokerSession] = [],
        _ body: ([BrokerSession]) async throws -> Result
    ) async throws -> Result {
        guard opened.count < count else { return try await body(opened) }
        return try await with(url: url, scope: scope, maxInFlight: window) { session in
            try await withSeveral(count, url: url, scope: scope, window: window, opened: opened + [session], body)
        }
    }
}
