/// What one connection may cost, and all of them together.
struct ConnectionLimits: Sendable {
    /// A request's body, inflated, in bytes.
    var maxBodyBytes: Int
    /// A connection on which nothing moves for so long is closed, unless it waits for us.
    var stallLimit: Duration
    /// How long a client may take to send a request.
    var sendingTime: Duration
    /// For connections.
    var places: Places
    /// For bodies.
    var memory: BodyMemory

    /// Connections that the kernel keeps until they are accepted, as far as `net.core.somaxconn` allows (4096 since Linux
    /// 5.4). When they are more, Linux resets some: thousands of polls come back in one moment after a restart.
    static let backlog = 4096
    /// A request's line, or its headers, in bytes.
    static let maxHeadBytes = 64 << 10
    /// Header fields of a request.
    static let maxFields = 128
    /// How long a client that was refused in the middle of its request may go on sending. To close at once would reset the
    /// connection, and take the answer with it.
    static let lingering = Duration.seconds(5)
}

/// Why a body is not read to its end.
enum BodyRefusal: Error {
    /// It is over ``ConnectionLimits/maxBodyBytes``.
    case tooLarge
    /// The process holds as many bytes of bodies as it may.
    case noMemory
}
