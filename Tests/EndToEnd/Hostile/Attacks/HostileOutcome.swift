/// What became of a hostile request.
enum HostileOutcome: Sendable, Hashable {
    /// It was answered, with that status.
    case answered(Int)
    /// It lies in the dead letters, for that reason.
    case deadLettered(String)
    /// The broker, or the HTTP server, closed the connection of a request that cannot be one.
    case closed(String)
    /// It was taken, and there was nothing to say: it was past its deadline, or named no address for an answer.
    case silent
    /// The attacker hung up before the request was whole.
    case hungUp
    /// Anything else: a defect.
    case failed(String)

    /// A word for the counts.
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
