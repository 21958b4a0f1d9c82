/// What one kind of client (publisher, consumer, RPC) does with the connection that a `ConnectionKeeper` keeps up.
///
/// Everything is called on the connection's thread, so nothing here may wait for another. An error thrown from a
/// method costs the connection; the keeper then calls `lost()` and connects again.
protocol ConnectionRole: AnyObject {
    /// Whether frames are wanted. While false the socket fills, and the broker with it is held back.
    var canRead: Bool { get }

    /// Prepares a fresh connection: topology, channels, consumers. May block for round trips.
    ///
    /// - Parameter generation: how many connections there have been, this one included.
    func open(_ connection: ConnectionHandle, generation: UInt64) throws(AMQPError)

    /// Takes what arrived on a channel; channel 0 is the connection itself.
    func receive(_ event: ChannelEvent, on channel: UInt16, of connection: ConnectionHandle) throws(AMQPError)

    /// Follows a round of `receive`.
    func didRead()

    /// Sends what waits, as far as the connection takes it, and says what is still wanted.
    func send(on connection: ConnectionHandle, now: ContinuousClock.Instant) throws(AMQPError) -> Demand

    /// Does what time demands while there is no connection; returns when it wants to be called again.
    func idle(now: ContinuousClock.Instant) -> ContinuousClock.Instant?

    /// The connection is gone, and with it everything that was under way on it.
    ///
    /// - Returns: whether the role gains by the next connection however short this one was, so that it may be made without
    ///   a growing wait.
    func lost(_ error: AMQPError) -> Bool

    /// Whether the client is to end now. Asked on every turn, after `send` or `idle`.
    func isDone(now: ContinuousClock.Instant, isConnected: Bool) -> Bool

    /// The end: sends what can still be sent and fails what cannot. Nothing is called after it.
    func end(on connection: ConnectionHandle?)
}

/// What a role wants after it has sent.
struct Demand {
    /// Has more to write than the socket took.
    var wantsToWrite = false
    /// Has more to do at once.
    var isBusy = false
    /// When to be called again at the latest.
    var deadline: ContinuousClock.Instant?
}

/// The earlier of two instants, of which nil is never.
func earlier(_ one: ContinuousClock.Instant?, _ other: ContinuousClock.Instant?) -> ContinuousClock.Instant? {
    guard let one, let other else {
        return one ?? other
    }
    return min(one, other)
}
