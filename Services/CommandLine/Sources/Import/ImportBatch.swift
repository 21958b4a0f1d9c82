import CommandLineSession

/// Lines of one zone that were sent together, each with what became of it.
struct ImportBatch: Sendable {
    /// What became of one line.
    enum Outcome: Sendable {
        case saved
        case deleted
        case failed(RequestFailure)
    }

    /// The lines and their outcomes.
    var items: [(line: ImportLine, outcome: Outcome)]
    /// Requests that were sent again under the same message id.
    var retried = 0
    /// The bytes of each content that was uploaded for them.
    var uploads: [Int64] = []
}
