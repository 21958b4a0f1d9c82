import CommandLineSession

/// Lines of one zone that were sent together, with their outcomes.
struct ImportBatch: Sendable {
    /// The outcome of a line.
    enum Outcome: Sendable {
        case saved
        case deleted
        case failed(RequestFailure)
    }

    /// The lines and their outcomes.
    var items: [(line: ImportLine, outcome: Outcome)]
    /// The number of times that a request was retried with the same message id.
    var retried = 0
    /// The size of each file that was uploaded for the lines, in bytes.
    var uploads: [Int64] = []
}
