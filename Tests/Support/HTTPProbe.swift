import Dispatch
import Glibc
import Synchronization

/// A plain HTTP GET on this machine, for health and metrics.
enum HTTPProbe {
    /// The response to a request.
    struct Response: Sendable {
        let status: Int
        let body: String
    }

    /// Requests `path` from the server on `port`. Returns nil if it does not answer within two seconds. Blocks a thread
    /// of its own.
    static func get(_ path: String, port: Int) async -> Response? {
        await withCheckedContinuation { continuation in
            DispatchQueue(label: "http-probe").async {
                continuation.resume(returning: read(path, port: UInt16(port)).flatMap(response))
            }
        }
    }

    /// Sends `bytes` to the server on `port` and disconnects without reading. Returns false if no server is listening.
    /// Blocks a thread of its own.
    static func send(_ bytes: [UInt8], port: Int) async -> Bool {
        await withCheckedContinuation { continuation in
            DispatchQueue(label: "http-probe").async {
                continuation.resume(
                    returning: withConnection(to: UInt16(port)) { socket in
                        var rest = bytes[...]
                        while !rest.isEmpty {
                            let sent = rest.withUnsafeBytes {
                                Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                            }
                            guard sent > 0 else { return false }
                            rest = rest.dropFirst(sent)
                        }
                        return true
                    } ?? false)
            }
        }
    }

    /// Returns a port of this machine that was free a moment ago, below the ports that the kernel assigns to clients.
    /// No port is returned twice, because an earlier caller may not have bound its port yet.
    static func freePort() throws -> Int {
        for _ in 0..<200 {
            let port = UInt16.random(in: 10_000..<20_000)
            guard given.withLock({ $0.insert(port).inserted }) else { continue }
            let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            defer { close(socket) }
            if withLoopback(port, { bind(socket, $0, $1) }) == 0 { return Int(port) }
        }
        throw TestFailure("no free port was found")
    }

    private static let given = Mutex<Set<UInt16>>([])

    private static func read(_ path: String, port: UInt16) -> String? {
        withConnection(to: port) { socket in
            let request = Array("GET \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".utf8)
            guard Glibc.send(socket, request, request.count, Int32(MSG_NOSIGNAL)) == request.count else { return nil }
            var text: [UInt8] = []
            var chunk = [UInt8](repeating: 0, count: 1 << 14)
            while true {
                let count = recv(socket, &chunk, chunk.count, 0)
                guard count > 0 else { break }
                text += chunk[..<count]
            }
            return String(decoding: text, as: UTF8.self)
        } ?? nil
    }

    /// Passes a connected socket to `body`. Each operation on it takes at most two seconds. Returns nil if no server is
    /// listening.
    private static func withConnection<Result>(to port: UInt16, _ body: (Int32) -> Result) -> Result? {
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard socket >= 0 else { return nil }
        defer { close(socket) }
        var limit = timeval(tv_sec: 2, tv_usec: 0)
        for option in [SO_SNDTIMEO, SO_RCVTIMEO] {
            setsockopt(socket, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
        }
        guard withLoopback(port, { connect(socket, $0, $1) }) == 0 else { return nil }
        return body(socket)
    }

    private static func response(_ text: String) -> Response? {
        guard let status = text.split(separator: " ").dropFirst().first.flatMap({ Int($0) }),
            let end = text.firstRange(of: "\r\n\r\n")
        else { return nil }
        return Response(status: status, body: String(text[end.upperBound...]))
    }

    private static func withLoopback(_ port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}
