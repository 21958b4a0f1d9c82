import CommandLineSession

/// Asks nobody: for watches that read no feeds, since their queue keeps what they have not heard.
struct NoFeeds: Requester {
    func ask(_ request: Request, limit: Duration) async throws(RequestFailure) -> Answer {
        throw .unanswered(reason: "feeds are not read")
    }
}
