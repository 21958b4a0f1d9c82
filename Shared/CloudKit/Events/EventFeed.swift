/// The events of a container for its user, across interruptions of the connection.
struct EventFeed {
    /// What the feed delivers.
    enum Item: Sendable {
        /// An event.
        case event(ServerSentEvent)
        /// Events may have been lost: everything must be fetched.
        case gap
    }

    /// The number of events that are remembered, to recognize those that arrive twice.
    private static let maxRemembered = 1_000

    private let connect: @Sendable () throws(CKError) -> WebConnection
    private let environment: [String: String]
    private var connection: WebConnection?
    private var slot: CourierSlot?
    private var registration: CourierRegistration?
    private var reader: EventReader?
    private var lastEventID: String?
    private var remembered: [String] = []
    private var failures = 0

    /// Creates a feed, which connects when its first item is asked for.
    ///
    /// - Parameters:
    ///   - environment: the variables that name the folder in which the token is kept.
    ///   - connect: returns the connection to use.
    init(
        environment: [String: String] = ProcessInfo.processInfo.environment,
        connect: @escaping @Sendable () throws(CKError) -> WebConnection
    ) {
        self.environment = environment
        self.connect = connect
    }

    /// Returns the next item. Waits for it, also while the server cannot be reached.
    ///
    /// - Throws: ``CKError/Code/notAuthenticated`` if no user is signed in; ``CKError/Code/operationCancelled`` if the
    ///   task was cancelled.
    mutating func next() async throws(CKError) -> Item {
        while true {
            do {
                if reader == nil, try await open() { return .gap }
                if let event = try await reader?.next() {
                    failures = 0
                    if !event.id.isEmpty { lastEventID = event.id }
                    if isNew(event) { return .event(event) }
                } else {
                    // The server ended the stream, for example because it stops.
                    reader = nil
                    try await pause(nil)
                }
            } catch {
                reader = nil
                let error = error as? CKError ?? TransportFault(error).error(url: "", isWrite: false)
                guard error.code != .notAuthenticated, error.code != .operationCancelled else { throw error }
                // The server has forgotten the registration.
                if error.code == .unknownItem || error.code == .invalidArguments { registration = nil }
                try await pause(error)
            }
        }
    }

    /// Opens the stream. Returns whether events may have been lost.
    private mutating func open() async throws(CKError) -> Bool {
        let connection = try connect()
        if connection !== self.connection {
            (self.connection, registration, lastEventID) = (connection, nil, nil)
            slot = nil
            slot = CourierSlot(connection.place, user: try await connection.caller(), environment: environment)
        }
        var hasGap = false
        if registration?.isOld != false {
            let known = registration?.token ?? slot?.token
            let new = try await CourierRegistration(connection, token: known)
            hasGap = new.isNew
            if new.isNew { lastEventID = nil }
            if slot?.token != new.token { slot?.token = new.token }
            registration = new
        }
        guard let registration else { return hasGap }
        reader = EventReader(
            try await connection.openEvents(
                at: registration.url, after: lastEventID, lasting: CourierRegistration.life))
        return hasGap
    }

    /// Waits before the next attempt: longer after each failure, and at least as long as the server demands.
    private mutating func pause(_ error: CKError?) async throws(CKError) {
        failures += 1
        guard let policy = connection?.policy else { return }
        let delay = policy.delay(
            after: failures, error ?? CKError(.serviceUnavailable), isLost: true, elapsed: .zero,
            patience: .until(.seconds(365 * 24 * 3600)))
        try await policy.pause(delay ?? policy.maxDelay)
    }

    /// Whether an event has not been delivered before.
    private mutating func isNew(_ event: ServerSentEvent) -> Bool {
        guard !event.id.isEmpty else { return true }
        guard !remembered.contains(event.id) else { return false }
        if remembered.count == Self.maxRemembered { remembered.removeFirst(Self.maxRemembered / 2) }
        remembered.append(event.id)
        return true
    }
}
