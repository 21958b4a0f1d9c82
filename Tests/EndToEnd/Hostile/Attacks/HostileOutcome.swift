/// The outcome of a hostile request.
enum HostileOutcome: Sendable, Hashable {
    /// It was answered with this status.
    case answered(Int)
    /// It was dead-lettered for this reason.
    case deadLettered(String)
    /// The broker or the HTTP server closed the connection, because the bytes cannot be a request.
    case closed(String)
    /// It was accepted without an answer, because its deadline had passed or it had no reply-to.
    case silent
    /// The attacker disconnected before the request was complete.
    case hungUp
    /// Any other outcome, which is a defect.
    case failed(String)

    /// A word for the outcome, under which it is counted.
    var word: String {
        switch self {
        case .answered(let status): "\(status)"
        case .deadLettered: "dead-lettered"
        case .closed: "closed"
        case .silent: "silent"
        case .hungUp: "hung up"
        case .failed: "FAILED"
        }
    }
}
