/// What the requests of one connection may cost, and all of them together.
struct ConnectionLimits: Sendable {
    /// A request's body, inflated, in bytes.
    var maxBodyBytes: Int
    /// How long a client may take to send a request.
    var sendingTime: Duration
    /// For bodies.
    var memory: FairBudget

    /// Connections that the kernel keeps until they are accepted, as far as `net.core.somaxconn` allows (4096 since Linux
    /// 5.4). When they are more, Linux resets some: thousands of polls come back in one moment after a restart.
    static let backlog = 4096
    /// A request's line, or its headers, in bytes.
    static let maxHeadBytes = 64 << 10
    /// How many times its size a compressed body may inflate to.
    static let maxInflation = 100
    /// Header fields of a request.
    static let maxFields = 128
}

/// Why a body is not read to its end.
enum BodyRefusal: Error {
    /// It is longer than it may be.
    case tooLarge
    /// As many bytes of bodies are held as may be: of all requests, of the address or of the container.
    case noMemory(FairBudget.Bound)
}
