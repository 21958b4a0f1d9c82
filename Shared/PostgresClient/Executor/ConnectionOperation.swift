/// One exchange with the server, from the first message to the reply to the last message. It is the unit that a
/// connection executes and cancels.
///
/// Not `Sendable`, because it belongs to the connection's actor.
final class ConnectionOperation {
    enum Work {
        /// Statements in pipeline mode with one sync at the end.
        case calls([PostgresCall])
        /// Several statements in a single string, sent over the simple query protocol.
        case script(String)
        /// One statement whose rows are delivered as they arrive.
        case stream(PostgresCall)
    }

    /// One expected answer from the server. Answers arrive in the order of the requests.
    enum Step {
        /// Deallocates a statement that an earlier operation retired.
        case deallocate(name: String)
        /// The synchronization point after the deallocations, which ensures that their failure does not fail this
        /// operation.
        case housekeepingSync
        case prepare(StatementCache.Key, call: Int)
        case execute(StatementCache.Key?, call: Int)
        case script
        case sync
    }

    let id: UInt64
    let work: Work
    /// Called once, with the results or the first error.
    private let completion: (Result<[PostgresResult], PostgresError>) -> Void

    /// The steps sent so far, and the number of steps that have been answered.
    var steps: [Step] = []
    var answeredSteps = 0
    /// The index of the first call that has not been sent yet.
    var nextCall = 0
    var isSent = false

    var results: [PostgresResult] = []
    var failure: PostgresError?
    var isCancelRequested = false
    private(set) var isEnded = false

    // Streams only: the rows received but not yet fetched, the continuation that is waiting for more rows, and whether
    // the reader has abandoned the stream.
    var rows: [PostgresRow] = []
    var rowWaiter: CheckedContinuation<Void, Never>?
    var isAbandoned = false

    init(id: UInt64, work: Work, completion: @escaping (Result<[PostgresResult], PostgresError>) -> Void) {
        self.id = id
        self.work = work
        self.completion = completion
    }

    var isStream: Bool {
        if case .stream = work { true } else { false }
    }

    var calls: [PostgresCall] {
        switch work {
        case .calls(let calls): calls
        case .stream(let call): [call]
        case .script: []
        }
    }

    var isAnswered: Bool { isSent && answeredSteps == steps.count }

    /// Records the first error. Later errors are ignored, because they are consequences of the first one.
    func fail(_ error: @autoclosure () -> PostgresError) {
        if failure == nil { failure = error() }
    }

    /// Reports the outcome to the caller. Must be called only once.
    func end() {
        isEnded = true
        if let failure { completion(.failure(failure)) } else { completion(.success(results)) }
        resumeRowWaiter()
    }

    func resumeRowWaiter() {
        rowWaiter?.resume()
        rowWaiter = nil
    }
}
