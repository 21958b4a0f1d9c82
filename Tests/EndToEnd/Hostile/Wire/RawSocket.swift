import Glibc
import TestSupport

/// A TCP connection to this machine for plain bytes. Every call blocks. May be used on any thread.
final class RawSocket: Sendable {
    private let descriptor: Int32

    /// Connects to a port of this machine.
    ///
    /// - Throws: ``TestFailure``.
    init(port: Int) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var limit = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var yes: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw TestFailure("cannot connect to \(port): \(errno)") }
    }

    deinit { close(descriptor) }

    /// Sends bytes. Returns false if the peer accepts no more.
    @discardableResult
    func send(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Reads `count` bytes. Returns nil if the connection ends before.
    func receive(_ count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        var got = 0
        while got < count {
            let more = bytes.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress! + got, count - got, 0) }
            guard more > 0 else { return nil }
            got += more
        }
        return bytes
    }

    /// Shuts down both directions. A waiting call returns.
    func shutDown() { shutdown(descriptor, Int32(SHUT_RDWR)) }
}
