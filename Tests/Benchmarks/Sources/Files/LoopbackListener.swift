internal import Glibc

/// A TCP port on the loopback interface.
struct LoopbackListener: Sendable {
    private let socket: Descriptor
    private let address: sockaddr_in

    /// Listens on a free port.
    ///
    /// - Throws: ``LimitFailure``.
    init() throws(LimitFailure) {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        let socket = try Self.makeSocket()
        try socket.withNumber { number throws(LimitFailure) in
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let result = withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                    bind(number, address, length) == 0 && listen(number, 1) == 0
                        && getsockname(number, address, &length) == 0
                }
            }
            guard result else { throw LimitFailure(call: "listen") }
        }
        (self.socket, self.address) = (socket, address)
    }

    /// Waits for a client.
    ///
    /// - Throws: ``LimitFailure``.
    func accept() throws(LimitFailure) -> Descriptor {
        try socket.withNumber { number throws(LimitFailure) in
            try Descriptor(Glibc.accept(number, nil, nil), of: "accept")
        }
    }

    /// Connects to the port.
    ///
    /// - Throws: ``LimitFailure``.
    func connect() throws(LimitFailure) -> Descriptor {
        let client = try Self.makeSocket()
        try client.withNumber { number throws(LimitFailure) in
            let result = withUnsafePointer(to: address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    Glibc.connect(number, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            guard result == 0 else { throw LimitFailure(call: "connect") }
        }
        return client
    }

    private static func makeSocket() throws(LimitFailure) -> Descriptor {
        try Descriptor(Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0), of: "socket")
    }
}
