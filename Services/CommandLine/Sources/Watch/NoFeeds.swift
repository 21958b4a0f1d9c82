import CommandLineSession

/// A requester that refuses every request, for watches that read no feeds because their queue keeps notifications.
struct NoFeeds: Requester {
    func ask(_ request: Request, limit: Duration) async throws(RequestFailure) -> Answer {
        throw .unanswered(reason: "feeds are not read")
    }
}
