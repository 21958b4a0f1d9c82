internal import Synchronization

/// The session of a user: its newest web auth token, and whether it has ended.
///
/// Every answer to a user contains a newer token. If the session is kept in the client file, several processes share
/// it: each writes a newer token now and then, and reads the file when another process has changed it. Older tokens stay
/// valid until they expire, so that a process that is killed in between loses nothing.
final class UserSession: Sendable {
    /// A token to send, and the generation of the session to which it belongs.
    struct Token: Sendable {
        let text: String
        /// Increases when the file names another token than the ones that this process has received.
        let generation: Int
    }

    /// Who is signed in.
    enum Account: Equatable, Sendable {
        /// No user is signed in, or the session has ended.
        case none
        /// The user with this record name; nil if it is not yet known.
        case user(String?)
    }

    fileprivate struct State {
        var token: String?
        var user: String?
        var isEnded = false
        var generation = 0
        /// The token that the file contained when it was last read or written.
        var storedToken: String?
        var storedAt: ContinuousClock.Instant?
        var version: FileVersion?
        var isWriting = false

        var account: Account { token == nil || isEnded ? .none : .user(user) }
    }

    /// How old the token in the file may become before a newer one is written.
    static let writePeriod: Duration = .seconds(60)

    private let path: String?
    private let container: String
    private let clock: @Sendable () -> ContinuousClock.Instant
    private let accountChanged: @Sendable () -> Void
    private let queue = DispatchQueue(label: "zonda.client-file")
    private let state: Mutex<State>

    /// Creates a session.
    ///
    /// - Parameters:
    ///   - place: the first token, or the file that contains it.
    ///   - accountChanged: called when another user is signed in, or none.
    init(
        _ place: ConnectionSettings.SessionPlace, container: String,
        clock: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        accountChanged: @escaping @Sendable () -> Void = AccountChange.post
    ) {
        self.container = container
        self.clock = clock
        self.accountChanged = accountChanged
        var state = State()
        switch place {
        case .memory(let token):
            path = nil
            state.token = token
        case .file(let path):
            self.path = path
            state.version = FileVersion(of: path)
            let file = try? ClientFile(readingFrom: path)
            state.token = file?.credential("webAuthToken", of: container)
            state.user = file?.credential("userRecordName", of: container)
            state.storedToken = state.token
            state.storedAt = clock()
        }
        self.state = Mutex(state)
    }

    /// The token to send; nil if no user is signed in, or the session has ended.
    var token: Token? {
        refresh()
        return state.withLock { state in
            state.isEnded ? nil : state.token.map { Token(text: $0, generation: state.generation) }
        }
    }

    /// Who is signed in.
    var account: Account {
        refresh()
        return state.withLock { $0.account }
    }

    /// Who was signed in when the file was last read.
    var knownAccount: Account { state.withLock { $0.account } }

    /// Whether there is no token at all: no user has signed in, or the user has signed out. A session that has ended
    /// because the server refused its token leaves the token in place.
    var isSignedOut: Bool {
        refresh()
        return state.withLock { $0.token == nil }
    }

    /// Takes the newer token of an answer to a request that was sent with `used`.
    func adopt(_ newer: String, after used: Token) {
        let isWriter = state.withLock { state in
            guard state.generation == used.generation, !state.isEnded else { return false }
            state.token = newer
            return state.beginWriting(at: clock(), isKept: path != nil)
        }
        if isWriter { write() }
    }

    /// Ends the session, because the server has refused its token.
    ///
    /// - Returns: whether another token is available with which the request can be repeated.
    func refuse(_ used: Token) -> Bool {
        refresh()
        let (isCurrent, hasChanged) = state.withLock { state in
            guard state.generation == used.generation, !state.isEnded else { return (false, false) }
            let before = state.account
            state.isEnded = true
            return (true, before != state.account)
        }
        if hasChanged { accountChanged() }
        return !isCurrent && token != nil
    }

    /// Notes who is signed in, and stores it in the file.
    func note(user: String, of used: Token) {
        let isWriter = state.withLock { state in
            guard state.generation == used.generation, state.user != user else { return false }
            state.user = user
            state.storedAt = nil
            return state.beginWriting(at: clock(), isKept: path != nil)
        }
        if isWriter { write() }
    }

    /// Reads the file again if it has changed.
    func refresh() {
        guard let path else { return }
        let version = FileVersion(of: path)
        guard state.withLock({ $0.version != version && !$0.isWriting }) else { return }
        // A file that is invalid, or is gone, names no user.
        let file = try? ClientFile(readingFrom: path)
        let token = file?.credential("webAuthToken", of: container)
        let user = file?.credential("userRecordName", of: container)
        let hasChanged = state.withLock { state in
            guard state.version != version, !state.isWriting else { return false }
            state.version = version
            guard token != state.storedToken || user != nil && user != state.user else { return false }
            let before = state.account
            state.take(token, of: user, at: clock())
            return before != state.account || user == nil && token != nil
        }
        if hasChanged { accountChanged() }
    }

    /// Waits until the file contains what this process has to write to it.
    func flush() async {
        await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
    }

    /// Writes the newest token to the file, unless another process has written one since this process last read it.
    private func write() {
        queue.async { [self] in
            guard let path else { return }
            let (token, user, known) = state.withLock { ($0.token, $0.user, $0.storedToken) }
            var isReplaced = false
            do {
                try ClientFile.update(path) { file in
                    isReplaced = file.credential("webAuthToken", of: container) != known
                    guard !isReplaced else { return false }
                    file.set("webAuthToken", of: container, to: token)
                    file.set("userRecordName", of: container, to: user)
                    return true
                }
            } catch {
                // The token in the file stays valid for a while; the next answer's token is written again.
                isReplaced = true
            }
            let version = FileVersion(of: path)
            state.withLock { state in
                state.isWriting = false
                guard !isReplaced else { return }
                state.storedToken = token
                state.version = version
            }
        }
    }
}

extension UserSession.State {
    /// Takes a session that another process has written to the file.
    fileprivate mutating func take(_ token: String?, of user: String?, at now: ContinuousClock.Instant) {
        if token != self.token {
            generation += 1
            isEnded = false
        }
        (self.token, self.user, storedToken, storedAt) = (token, user, token, now)
    }

    /// Returns whether the caller is to write the token to the file now.
    fileprivate mutating func beginWriting(at now: ContinuousClock.Instant, isKept: Bool) -> Bool {
        guard isKept, !isWriting else { return false }
        if let storedAt, now - storedAt < UserSession.writePeriod { return false }
        (isWriting, storedAt) = (true, now)
        return true
    }
}
