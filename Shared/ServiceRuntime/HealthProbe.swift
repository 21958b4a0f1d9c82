internal import Glibc

/// Asks a service of this machine whether it is ready: what a container's health check runs, where there is no other
/// program to do it.
package enum HealthProbe {
    /// `GET /health/ready`.
    ///
    /// - Parameters:
    ///   - host: an IPv4 address; any address of this machine is asked on the loopback address.
    ///   - seconds: the longest wait for an answer.
    /// - Returns: nil when it is ready, else why not.
    package static func reasonNotReady(host: String, port: Int, seconds: Int = 5) -> String? {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { return "no socket" }
        defer { close(descriptor) }
        var limit = timeval(tv_sec: seconds, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(descriptor, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
        }
        guard connect(descriptor, host: host == "0.0.0.0" ? "127.0.0.1" : host, port: port) else {
            return "nothing listens at \(host):\(port)"
        }
        let request = "GET /health/ready HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n\r\n"
        guard send(descriptor, request, request.utf8.count, Int32(MSG_NOSIGNAL)) == request.utf8.count else {
            return "no answer"
        }
        let answer = read(descriptor)
        if answer.hasPrefix("HTTP/1.1 200 ") { return nil }
        guard let end = answer.firstRange(of: "\r\n\r\n") else { return "no answer" }
        return String(answer[end.upperBound...])
    }

    private static func connect(_ descriptor: Int32, host: String, port: Int) -> Bool {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(clamping: port)).bigEndian
        guard inet_pton(AF_INET, host, &address.sin_addr) == 1 else { return false }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }

    /// Everything until the end of the connection.
    private static func read(_ descriptor: Int32) -> String {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 4096)
        while bytes.count < 1 << 16 {
            let count = recv(descriptor, &piece, piece.count, 0)
            guard count > 0 else { break }
            bytes += piece.prefix(count)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
