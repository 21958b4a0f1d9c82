import Dispatch
import Glibc
import Synchronization
import TestSupport

/// A client of the courier on a plain socket, which can disconnect at any time.
final class CourierClient: Sendable {
    private let socket: Int32
    private let queue = DispatchQueue(label: "courier-client")
    private let received = Mutex<[UInt8]>([])

    /// Connects to a port of this machine.
    ///
    /// - Parameter receiveBuffer: the number of bytes that the kernel may buffer for a client that does not read.
    init(port: Int, receiveBuffer: Int32? = nil) throws {
        socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        if var bytes = receiveBuffer {
            setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &bytes, socklen_t(MemoryLayout<Int32>.size))
        }
        var limit = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw TestFailure("the courier does not listen") }
    }

    deinit { close(socket) }

    /// Sends a request.
    func ask(_ target: String, _ headers: [String: String] = [:], method: String = "GET") {
        let fields = headers.map { "\($0): \($1)\r\n" }.joined()
        let bytes = Array("\(method) \(target) HTTP/1.1\r\nHost: localhost\r\n\(fields)\r\n".utf8)
        _ = Glibc.send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    /// Disconnects, either in an orderly way or with a reset, as the kernel does when a program dies without having
    /// read all data.
    func hangUp(reset: Bool = false) {
        if reset {
            var linger = linger(l_onoff: 1, l_linger: 0)
            setsockopt(socket, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
            // Only the connection ends now. The descriptor remains open until `deinit`.
            var address = sockaddr()
            address.sa_family = sa_family_t(AF_UNSPEC)
            connect(socket, &address, socklen_t(MemoryLayout<sockaddr>.size))
        } else {
            shutdown(socket, Int32(SHUT_RDWR))
        }
    }

    /// Reads until `find` returns an index into the unread text, and returns the text up to that index. Returns nil if
    /// the connection ends, or if nothing arrives for 20 seconds.
    func read(_ find: @escaping @Sendable (String) -> String.Index?) async -> String? {
        await withCheckedContinuation { continuation in
            queue.async { [self] in
                var chunk = [UInt8](repeating: 0, count: 1 << 16)
                while true {
                    let text = String(decoding: received.withLock { $0 }, as: UTF8.self)
                    if let end = find(text) {
                        let part = String(text[..<end])
                        received.withLock { $0.removeFirst(part.utf8.count) }
                        return continuation.resume(returning: part)
                    }
                    let count = recv(socket, &chunk, chunk.count, 0)
                    guard count > 0 else { return continuation.resume(returning: nil) }
                    received.withLock { $0 += chunk[..<count] }
                }
            }
        }
    }

    /// Reads the next answer with a `Content-Length`, and returns its status and body.
    func answer() async -> (status: Int, body: String)? {
        guard let head = await read({ $0.firstRange(of: "\r\n\r\n")?.upperBound }),
            let status = head.split(separator: " ").dropFirst().first.flatMap({ Int($0) })
        else { return nil }
        let field = head.lowercased().split(separator: "\r\n").first { $0.hasPrefix("content-length:") }
        let length = field.flatMap { Int($0.dropFirst(15).filter { $0 != " " }) } ?? 0
        guard length > 0 else { return (status, "") }
        let body = await read { text in
            text.utf8.count < length ? nil : text.utf8.index(text.startIndex, offsetBy: length)
        }
        return body.map { (status, $0) }
    }

    /// Reads the next event and returns its id. Skips heartbeats and the head of the stream.
    func event() async -> String? {
        while let block = await read({ $0.firstRange(of: "\n\n")?.upperBound }) {
            guard
                let line = block.split(whereSeparator: { $0 == "\n" || $0 == "\r\n" }).first(where: {
                    $0.hasPrefix("id: ")
                })
            else { continue }
            return String(line.dropFirst(4))
        }
        return nil
    }
}
