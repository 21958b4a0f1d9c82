import CommandLineSession

/// Sends requests through another requester, and reports them to a load's grace.
struct WatchedRequester<Base: Requester>: Requester {
    /// Sends the requests.
    let base: Base
    /// Determines when the load gives up.
    let grace: LoadGrace

    func ask(_ request: Request, limit: Duration) async throws(RequestFailure) -> Answer {
        try await grace.observing { () async throws(RequestFailure) in
            let answer = try await base.ask(request, limit: limit)
            // A service answers "try again later" when a service on which it depends is unavailable.
            if answer.status != 503, answer.status != 429 { grace.noteProgress() }
            return answer
        }
    }
}

extension WatchedRequester<BrokerSession> {
    /// Returns a requester that uses the same connection for another user or database.
    func acting(in scope: RequestScope) -> Self { Self(base: base.acting(in: scope), grace: grace) }
}
