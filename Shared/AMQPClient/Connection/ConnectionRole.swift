/// The behaviour of one kind of client (publisher, consumer, RPC) on the connection that a `ConnectionKeeper`
/// maintains.
///
/// All methods are called on the connection's thread and must not wait for other threads. If a method throws an error,
/// the keeper ends the connection, calls `lost(_:)` and reconnects.
protocol ConnectionRole: AnyObject {
    /// Whether the role accepts frames. While this is false, the socket's buffers fill up, which applies back pressure
    /// to the broker.
    var canRead: Bool { get }

    /// Prepares a new connection: opens channels, declares the topology, starts consumers. Can block for several round
    /// trips.
    ///
    /// - Parameter generation: the number of connections made so far, including this one.
    func open(_ connection: ConnectionHandle, generation: UInt64) throws(AMQPError)

    /// Handles an event on a channel; channel 0 is the connection itself.
    func receive(_ event: ChannelEvent, on channel: UInt16, of connection: ConnectionHandle) throws(AMQPError)

    /// Called in each turn after the last call to `receive`.
    func didRead()

    /// Sends as much pending work as the connection accepts, and returns the remaining demand.
    func send(on connection: ConnectionHandle, now: ContinuousClock.Instant) throws(AMQPError) -> Demand

    /// Performs work that is due while there is no connection. Returns the time by which the next call is due, or nil
    /// if no work is scheduled.
    func idle(now: ContinuousClock.Instant) -> ContinuousClock.Instant?

    /// Called after the connection, and everything in flight on it, has been lost.
    ///
    /// - Returns: whether the role makes progress with each new connection, even if the last one was short-lived. If
    ///   so, the back-off restarts at its minimum.
    func lost(_ error: AMQPError) -> Bool

    /// Returns whether the client must shut down now. Called in every turn, after `send` or `idle`.
    func isDone(now: ContinuousClock.Instant, isConnected: Bool) -> Bool

    /// Ends the role: sends pending work where possible and fails the remaining work. No method is called afterwards.
    func end(on connection: ConnectionHandle?)
}

/// The work that a role still has to do after `send`.
struct Demand {
    /// Whether the role has more to write than the socket accepted.
    var wantsToWrite = false
    /// Whether the role has more work to do immediately.
    var isBusy = false
    /// The time by which the next call is due; nil if there is no deadline.
    var deadline: ContinuousClock.Instant?

    /// Sends the messages of a publishing role, unless the broker has blocked it or the socket is full.
    ///
    /// - Parameters:
    ///   - hasMessages: returns whether there is a message to send; called before and after `send`.
    ///   - send: sends messages; called with the socket corked.
    static func sending(
        on connection: ConnectionHandle, deadline: ContinuousClock.Instant?, isBlocked: Bool, hasMessages: () -> Bool,
        _ send: () throws(AMQPError) -> Void
    ) throws(AMQPError) -> Demand {
        var demand = Demand(deadline: deadline)
        guard !isBlocked, hasMessages() else { return demand }
        // A full socket would block the thread in the middle of a message.
        guard connection.isWritable else {
            demand.wantsToWrite = true
            return demand
        }
        try connection.corked(send)
        demand.isBusy = hasMessages()
        return demand
    }
}

/// Returns the earlier of two instants, where nil means never.
func earlier(_ one: ContinuousClock.Instant?, _ other: ContinuousClock.Instant?) -> ContinuousClock.Instant? {
    guard let one, let other else {
        return one ?? other
    }
    return min(one, other)
}
