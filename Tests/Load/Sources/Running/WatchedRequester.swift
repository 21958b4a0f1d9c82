import CommandLineSession

/// Asks as another requester does, under the eyes of a load's grace.
struct WatchedRequester<Base: Requester>: Requester {
    /// Who is asked.
    let base: Base
    /// What gives the load up.
    let grace: LoadGrace

    func ask(_ request: Request, limit: Duration) async throws(RequestFailure) -> Answer {
        try await grace.observing { () async throws(RequestFailure) in
            let answer = try await base.ask(request, limit: limit)
            // "Later" says that something else is away.
            if answer.status != 503, answer.status != 429 { grace.noteProgress() }
            return answer
        }
    }
}

extension WatchedRequester<BrokerSession> {
    /// The same connection for another user or database.
    func acting(in scope: RequestScope) -> Self { Self(base: base.acting(in: scope), grace: grace) }
}
