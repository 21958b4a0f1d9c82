/// One exchange with the server, from its first message to the answer to its last: the unit in which a connection works,
/// and the unit that is cancelled.
///
/// Not `Sendable`: it belongs to the connection's actor.
final class ConnectionOperation {
    enum Work {
        /// Statements in pipeline mode with one sync at the end.
        case calls([PostgresCall])
        /// Several statements in one text, in the simple protocol.
        case script(String)
        /// One statement whose rows are handed over as they come.
        case stream(PostgresCall)
    }

    /// What the server answers, in the order in which it was asked.
    enum Step {
        /// A statement that an earlier operation left behind.
        case deallocate(name: String)
        /// The synchronisation point after the deallocations: their failure is not this operation's.
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

    /// What was sent so far, and how much of it was answered.
    var steps: [Step] = []
    var answeredSteps = 0
    /// The first call that was not sent yet.
    var nextCall = 0
    var isSent = false

    var results: [PostgresResult] = []
    var failure: PostgresError?
    var isCancelRequested = false
    private(set) var isEnded = false

    // Of a stream only: rows that came and were not fetched yet, who waits for more, and whether nobody wants any.
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

    /// Keeps the first error; later ones are its consequences.
    func fail(_ error: @autoclosure () -> PostgresError) {
        if failure == nil { failure = error() }
    }

    /// Tells the caller how it ended. To be called once.
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
