import CLinux
import Dispatch
import Glibc

/// Reads the peak memory of services over plain HTTP.
enum MetricsProbe {
    /// The name of the metric in a service's `/metrics`.
    static let metric = "process_peak_resident_bytes"

    /// Returns the peak resident memory, in bytes, of the service at `url`, such as `http://127.0.0.1:9101/metrics`.
    /// The path may be omitted. Returns nil if the service does not answer within two seconds. Blocks a separate
    /// thread.
    static func peakBytes(url: String) async -> Int? {
        guard let target = Target(url: url) else { return nil }
        return await withCheckedContinuation { continuation in
            DispatchQueue(label: "zonda.load.metrics").async {
                continuation.resume(returning: get(target).flatMap { peakBytes(in: $0) })
            }
        }
    }

    /// Returns the metric's value in text in Prometheus format.
    static func peakBytes(in text: String) -> Int? {
        for line in text.split(whereSeparator: \.isNewline) where line.hasPrefix(metric) {
            let rest = line.dropFirst(metric.count)
            guard rest.first == " " || rest.first == "{" else { continue }
            let afterLabels = rest.first == "{" ? rest.drop { $0 != "}" }.dropFirst() : rest
            if let value = afterLabels.split(separator: " ").first.flatMap({ Double($0) }) { return Int(value) }
        }
        return nil
    }

    /// The parts of an `http://` URL.
    struct Target: Equatable, Sendable {
        var host: String
        var port: String
        var path: String

        /// Parses an `http://` URL; nil for any other text. An IPv6 address must be in brackets.
        init?(url: String) {
            guard url.hasPrefix("http://") else { return nil }
            let rest = url.dropFirst("http://".count)
            let authority = rest.prefix { $0 != "/" }
            let path = rest.dropFirst(authority.count)
            self.path = path.isEmpty || path == "/" ? "/metrics" : String(path)
            let colon = authority.lastIndex(of: ":").flatMap { authority[$0...].contains("]") ? nil : $0 }
            host = String(authority[..<(colon ?? authority.endIndex)]).trimmingBrackets
            port = colon.map { String(authority[authority.index(after: $0)...]) } ?? "80"
            guard !host.isEmpty, UInt16(port) != nil else { return nil }
        }
    }

    private static func get(_ target: Target) -> String? {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var addresses: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(target.host, target.port, &hints, &addresses) == 0, let address = addresses else {
            return nil
        }
        defer { freeaddrinfo(addresses) }
        let descriptor = socket(address.pointee.ai_family, address.pointee.ai_socktype, 0)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        // The send timeout also applies to connect(2).
        var limit = timeval(tv_sec: 2, tv_usec: 0)
        for option in [SO_SNDTIMEO, SO_RCVTIMEO] {
            setsockopt(descriptor, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
        }
        guard connect(descriptor, address.pointee.ai_addr, address.pointee.ai_addrlen) == 0 else { return nil }
        let request = Array("GET \(target.path) HTTP/1.0\r\nHost: \(target.host)\r\nConnection: close\r\n\r\n".utf8)
        guard send(descriptor, request, request.count, Int32(MSG_NOSIGNAL)) == request.count else {
            return nil
        }
        var text: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 14)
        while text.count < 1 << 22 {
            let count = recv(descriptor, &chunk, chunk.count, 0)
            guard count > 0 else { break }
            text += chunk[..<count]
        }
        return String(decoding: text, as: UTF8.self)
    }
}

extension String {
    fileprivate var trimmingBrackets: String {
        hasPrefix("[") && hasSuffix("]") ? String(dropFirst().dropLast()) : self
    }
}
