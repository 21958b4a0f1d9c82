internal import Glibc

/// A probe that asks a service on this machine whether it is ready. It is the health check in a container that has no
/// other program for that purpose.
package enum HealthProbe {
    /// Sends `GET /health/ready`.
    ///
    /// - Parameters:
    ///   - host: the name or address on which the service listens, as passed to ``HealthServer``. If it is the wildcard
    ///     address, the loopback address is used.
    ///   - seconds: the maximum wait for each step: connecting, sending, and receiving each piece of the answer.
    /// - Returns: nil if the service is ready, otherwise the reason why it is not.
    package static func reasonNotReady(host: String, port: Int, seconds: Int = 5) -> String? {
        guard let descriptor = connection(to: loopbacks[host] ?? host, port: port, seconds: seconds) else {
            return "nothing is listening on \(host), port \(port)"
        }
        defer { close(descriptor) }
        let request = "GET /health/ready HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        guard send(descriptor, request, request.utf8.count, Int32(MSG_NOSIGNAL)) == request.utf8.count else {
            return "no answer"
        }
        let answer = read(descriptor)
        if answer.hasPrefix("HTTP/1.1 200 ") { return nil }
        guard let end = answer.firstRange(of: "\r\n\r\n") else { return "no answer" }
        return String(answer[end.upperBound...])
    }

    private static let loopbacks = ["0.0.0.0": "127.0.0.1", "::": "::1"]

    /// Returns a socket connected to the first of the host's addresses that accepts a connection.
    private static func connection(to host: String, port: Int, seconds: Int) -> Int32? {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_NUMERICSERV
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, String(port), &hints, &found) == 0 else { return nil }
        defer { freeaddrinfo(found) }
        var next = found
        while let address = next?.pointee {
            next = address.ai_next
            let descriptor = socket(address.ai_family, address.ai_socktype, address.ai_protocol)
            guard descriptor >= 0 else { continue }
            limitWaits(of: descriptor, to: seconds)
            if connect(descriptor, address.ai_addr, address.ai_addrlen) == 0 { return descriptor }
            close(descriptor)
        }
        return nil
    }

    private static func limitWaits(of descriptor: Int32, to seconds: Int) {
        var limit = timeval(tv_sec: seconds, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(descriptor, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
        }
    }

    /// Reads until the connection ends or 64 KiB have arrived.
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
