/// Keeps an application's data in step with the private or the shared database.
///
/// The application says what has changed (``state``), returns the records when the engine asks for them, and handles
/// events. The engine decides when to fetch and to send, repeats what failed because of the network or a busy server,
/// and hands over everything else: conflicts, zones that are gone, changes of the account.
public final class CKSyncEngine: Sendable {
    /// The database.
    public let database: CKDatabase
    /// What is to be sent, and what was fetched.
    public let state: CKSyncEngine.State

    private let runner: SyncRunner

    /// Creates an engine. It synchronizes at once, unless ``Configuration/automaticallySync`` is false.
    public convenience init(_ configuration: CKSyncEngine.Configuration) {
        self.init(
            configuration, SyncTransport(configuration.database, configuration.subscriptionID), .system)
    }

    init(_ configuration: CKSyncEngine.Configuration, _ transport: SyncTransport, _ clock: SyncClock) {
        database = configuration.database
        state = State(configuration.stateSerialization)
        runner = SyncRunner(state, transport, clock, isAutomatic: configuration.automaticallySync)
        runner.start(for: self, configuration.delegate)
    }

    deinit { runner.stop() }

    /// Fetches changes now. Returns when the delegate has handled all events.
    ///
    /// - Throws: ``CKError/Code/notAuthenticated`` if no user is signed in; ``CKError/Code/partialFailure`` if some zones
    ///   could not be fetched; the error of a request.
    @concurrent
    public func fetchChanges(_ options: CKSyncEngine.FetchChangesOptions = .init()) async throws {
        try await fetch(options, .manual)
    }

    /// Sends changes now. Returns when the delegate has handled all events.
    ///
    /// - Throws: ``CKError/Code/notAuthenticated`` if no user is signed in; ``CKError/Code/partialFailure`` if some
    ///   changes failed, of which the delegate has heard; the error of a request.
    @concurrent
    public func sendChanges(_ options: CKSyncEngine.SendChangesOptions = .init()) async throws {
        try await send(options, .manual)
    }

    /// Cancels what the engine does and what waits, and returns when it has ended. Changes stay pending. Requests that
    /// are on the way may still succeed.
    public func cancelOperations() async { await runner.cancelAttempts() }

    func fetch(_ options: FetchChangesOptions, _ reason: SyncReason) async throws(CKError) {
        let context = FetchChangesContext(reason: reason, options: options)
        try await runner.attempt { runner async throws(CKError) in try await runner.fetch(context) }
    }

    func send(
        _ options: SendChangesOptions, _ reason: SyncReason, progressed: @escaping @Sendable () -> Void = {}
    ) async throws(CKError) {
        let context = SendChangesContext(reason: reason, options: options)
        try await runner.attempt { runner async throws(CKError) in try await runner.send(context, progressed) }
    }
}

extension CKSyncEngine: CustomStringConvertible {
    /// The database and the state in a few words.
    public var description: String { "<CKSyncEngine \(database) \(state.content.withLock { $0.summary })>" }
}
