internal import Synchronization

/// The connections of the process: one for each container.
///
/// The environment is read once. The client file is read again when it has changed, so that a process that runs while a
/// user signs in need not be restarted.
final class Connections: Sendable {
    /// The connections of this process.
    static let shared = Connections(environment: ProcessInfo.processInfo.environment)

    fileprivate struct Entry: Sendable {
        var connection: WebConnection
        var session: ConnectionSettings.SessionPlace?
        /// The version of the client file from which the connection was made.
        var version: FileVersion?
    }

    fileprivate struct State {
        var settings: ConnectionSettings
        var file: ClientFile?
        var version: FileVersion?
        /// Why the client file cannot be used.
        var fileError: CKError?
        var entries: [String: Entry] = [:]
        /// The containers without a configuration, for which a connection could not be made.
        var unconfigured: Set<String?> = []
        var watch: (any DispatchSourceTimer)?
    }

    /// How often the client file is examined while the process sends no requests.
    static let watchPeriod: DispatchTimeInterval = .seconds(2)

    private let state: Mutex<State>
    private let accountChanged: @Sendable () -> Void

    /// Creates an empty set of connections.
    ///
    /// - Parameter environment: the variables of the environment.
    init(environment: [String: String], accountChanged: @escaping @Sendable () -> Void = AccountChange.post) {
        state = Mutex(State(settings: ConnectionSettings(source: nil, environment: environment)))
        self.accountChanged = accountChanged
    }

    /// The connection that source has set; nil to use the environment and the client file.
    var source: ZondaConnection? {
        get { state.withLock { $0.settings.source } }
        set {
            let hasChanged = state.withLock { state in
                guard state.settings.source != newValue else { return false }
                state.settings.source = newValue
                state.entries = [:]
                (state.file, state.version, state.fileError) = (nil, nil, nil)
                return true
            }
            if hasChanged { accountChanged() }
        }
    }

    /// The identifier of the container that applications get without naming one.
    var defaultContainer: String? {
        state.withLock { state in
            state.readFile()
            return state.settings.defaultContainer(state.file)
        }
    }

    /// Returns the connection of a container.
    ///
    /// - Parameter container: the container's identifier; nil for the default container.
    /// - Throws: ``CKError/Code/notAuthenticated`` with an explanation of what to set.
    func connection(to container: String?) throws(CKError) -> WebConnection {
        let (result, former, isNew) = state.withLock { state in find(container, &state) }
        let found = try result.get()
        // Observers are called without the lock, because they may ask for a connection.
        if isNew
            || former != nil && former !== found.session
                && former?.knownAccount != found.session?.knownAccount
        {
            accountChanged()
        }
        return found
    }

    /// Returns the connection of a container, the session of the one that it replaces, and whether the container had no
    /// configuration before.
    private func find(
        _ container: String?, _ state: inout State
    ) -> (Result<WebConnection, CKError>, UserSession?, isNew: Bool) {
        watchFile(&state)
        let former = container.flatMap { state.entries[$0] }?.connection.session
        let result = Result { () throws(CKError) in try connection(to: container, &state) }
        guard case .success = result else {
            state.unconfigured.insert(container)
            return (result, former, false)
        }
        return (result, former, state.unconfigured.remove(container) != nil)
    }

    private func connection(to container: String?, _ state: inout State) throws(CKError) -> WebConnection {
        state.readFile()
        if let error = state.fileError { throw error }
        if let name = container ?? state.settings.defaultContainer(state.file), let entry = state.entries[name],
            entry.version == state.version
        {
            return entry.connection
        }
        let (place, session) = try state.settings.place(of: container, state.file)
        if let entry = state.entries[place.container], entry.connection.place == place, entry.session == session {
            state.entries[place.container]?.version = state.version
            return entry.connection
        }
        let connection = try WebConnection(
            place,
            session: session.map { UserSession($0, container: place.container, accountChanged: accountChanged) },
            client: try HTTPClients.client(trusting: place.certificateFile))
        state.entries[place.container] = Entry(connection: connection, session: session, version: state.version)
        return connection
    }

    /// Examines the client file from time to time, so that a process that sends no requests hears of another user too.
    private func watchFile(_ state: inout State) {
        guard state.watch == nil, state.settings.clientFile != nil else { return }
        let timer = DispatchSource.makeTimerSource(queue: .global(qos: .utility))
        timer.schedule(deadline: .now() + Self.watchPeriod, repeating: Self.watchPeriod)
        timer.setEventHandler { [weak self] in
            self?.examineFile()
        }
        timer.resume()
        state.watch = timer
    }

    /// Reads the client file again if it has changed, and posts `CKAccountChanged` if the account has changed.
    func examineFile() {
        let (sessions, isConfigured) = state.withLock { state in
            let before = state.version
            state.readFile()
            let isConfigured = state.version != before && !state.unconfigured.isEmpty
            if isConfigured { state.unconfigured = [] }
            return (state.entries.values.compactMap(\.connection.session), isConfigured)
        }
        for session in sessions { session.refresh() }
        if isConfigured { accountChanged() }
    }
}

extension Connections.State {
    /// Reads the client file if it has changed.
    fileprivate mutating func readFile() {
        guard let path = settings.clientFile else { return }
        let newest = FileVersion(of: path)
        guard newest != version else { return }
        (version, file, fileError) = (newest, nil, nil)
        guard newest != nil else { return }
        do throws(CKError) {
            file = try ClientFile(readingFrom: path)
        } catch {
            fileError = error
        }
    }
}
