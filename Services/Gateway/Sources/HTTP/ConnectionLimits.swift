/// Limits of the requests of one connection, and of all together.
struct ConnectionLimits: Sendable {
    /// The maximum of an inflated body, bytes.
    var maxBodyBytes: Int
    /// The maximum time that a client takes to send a request.
    var sendingTime: Duration
    /// The memory for bodies, bytes.
    var memory: FairBudget

    /// The number of connections that the kernel queues until they are accepted; `net.core.somaxconn` limits it (4096 since
    /// Linux 5.4). It matters after a restart, when thousands of polls reconnect at once: Linux resets those that exceed it.
    static let backlog = 4096
    /// The maximum of a request line, and of the header fields of a request, bytes.
    static let maxHeadBytes = 64 << 10
    /// The maximum ratio by which a compressed body may grow.
    static let maxInflation = 100
    /// The maximum number of header fields of a request.
    static let maxFields = 128
}

/// The reason why a body is not read to its end.
enum BodyRefusal: Error {
    /// It exceeds its maximum.
    case tooLarge
    /// The memory for bodies is exhausted: that of all requests, of the address or of the container.
    case noMemory(FairBudget.Bound)
}
