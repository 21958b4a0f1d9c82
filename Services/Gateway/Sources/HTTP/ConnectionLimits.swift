/// The limits on the requests of one connection, and the memory that all requests share.
struct ConnectionLimits: Sendable {
    /// The maximum size of a body after decompression, in bytes.
    var maxBodyBytes: Int
    /// The time within which a client must send a request.
    var sendingTime: Duration
    /// The memory for bodies, in bytes.
    var memory: FairBudget

    /// The number of connections that the kernel queues until they are accepted, capped by `net.core.somaxconn` (4096
    /// by default since Linux 5.4). The queue matters after a restart, when thousands of polls reconnect at the same time: Linux
    /// resets the connections that do not fit in the queue.
    static let backlog = 4096
    /// The maximum size of a request line, and also of a request's header fields, in bytes.
    static let maxHeadBytes = 64 << 10
    /// The maximum ratio of a body's size to its compressed size.
    static let maxInflation = 100
    /// The maximum number of header fields in a request.
    static let maxFields = 128
}

/// The reason why a body was not read to the end.
enum BodyRefusal: Error {
    /// The body exceeds its maximum size.
    case tooLarge
    /// The memory for bodies is exhausted: the total, or the share of the address or of the container.
    case noMemory(FairBudget.Bound)
}
