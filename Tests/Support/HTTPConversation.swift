import Dispatch
import Glibc

/// An answer of the server.
package struct HTTPReply: Sendable {
    /// The HTTP status.
    package let status: Int
    /// The headers, with names in lower case.
    package let headers: [String: String]
    /// The body.
    package let body: [UInt8]

    /// The body as text.
    package var text: String { String(decoding: body, as: UTF8.self) }
}

/// A connection to the server under test that sends and reads plain bytes, to imitate clients that misbehave. Blocks a
/// queue of its own.
package final class HTTPConversation: Sendable {
    private let socket: Int32
    private let queue = DispatchQueue(label: "http-conversation")

    /// Connects to a port of this machine.
    ///
    /// - Parameter ownAddress: the address from which to connect, in 127.0.0.0/8.
    /// - Throws: ``TestFailure`` if the connection fails.
    package init(port: Int, from ownAddress: String = "127.0.0.1") throws {
        socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var limit = timeval(tv_sec: 20, tv_usec: 0)
        for option in [SO_SNDTIMEO, SO_RCVTIMEO] {
            setsockopt(socket, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
        }
        var calls = [(connect, "127.0.0.1", port)]
        if ownAddress != "127.0.0.1" { calls.insert((bind, ownAddress, 0), at: 0) }
        let results = calls.map { call, text, port in
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = UInt16(port).bigEndian
            address.sin_addr.s_addr = inet_addr(text)
            return withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    call(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
        }
        guard results.allSatisfy({ $0 == 0 }) else { throw TestFailure("cannot connect: \(errno)") }
    }

    deinit { Glibc.close(socket) }

    /// Sends bytes. Bytes that the server no longer accepts are dropped.
    package func send(_ bytes: [UInt8]) async {
        await perform { [socket] in
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
                guard count > 0 else { return }
                rest = rest.dropFirst(count)
            }
        }
    }

    /// Sends text.
    package func send(_ text: String) async { await send(Array(text.utf8)) }

    /// Resets the connection, as the kernel does when a program dies without having read all data.
    package func reset() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(socket, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
        // Only the connection ends now. The descriptor remains open until `deinit`.
        var address = sockaddr()
        address.sa_family = sa_family_t(AF_UNSPEC)
        connect(socket, &address, socklen_t(MemoryLayout<sockaddr>.size))
    }

    /// Reads one reply.
    ///
    /// - Throws: ``TestFailure`` if the connection ends before the end of the reply.
    package func reply(isHead: Bool = false) async throws -> HTTPReply {
        let result = await perform { [self] in Result { try read(isHead: isHead) } }
        return try result.get()
    }

    /// Reads and discards at most `count` bytes.
    package func take(_ count: Int) async { _ = await perform { [self] in try? receive(count) } }

    /// Waits until the server has closed the connection.
    ///
    /// - Returns: the number of bytes that arrived before.
    /// - Throws: ``TestFailure`` if nothing arrives for 20 seconds.
    @discardableResult
    package func rest() async throws -> Int {
        let result = await perform { [socket] in
            var chunk = [UInt8](repeating: 0, count: 1 << 16)
            var total = 0
            while true {
                let count = recv(socket, &chunk, chunk.count, 0)
                if count == 0 || (count < 0 && errno == ECONNRESET) { return Result<Int, TestFailure>.success(total) }
                guard count > 0 else { return .failure(TestFailure("the connection stays open")) }
                total += count
            }
        }
        return try result.get()
    }

    private func read(isHead: Bool) throws -> HTTPReply {
        var head: [UInt8] = []
        while !head.suffix(4).elementsEqual("\r\n\r\n".utf8) { head += try receive(1) }
        let lines = String(decoding: head, as: UTF8.self).split(separator: "\r\n")
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            headers[parts[0].lowercased()] = parts.count > 1 ? String(parts[1].dropFirst()) : ""
        }
        let status = Int(lines[0].split(separator: " ")[1]) ?? 0
        var body: [UInt8] = []
        if !isHead, status != 304, status != 100, let length = headers["content-length"].flatMap({ Int($0) }) {
            while body.count < length { body += try receive(length - body.count) }
        }
        if !isHead, headers["transfer-encoding"] == "chunked" { body = try readChunks() }
        return HTTPReply(status: status, headers: headers, body: body)
    }

    private func readChunks() throws -> [UInt8] {
        var body: [UInt8] = []
        while true {
            var line: [UInt8] = []
            while !line.suffix(2).elementsEqual("\r\n".utf8) { line += try receive(1) }
            let length = Int(String(decoding: line.dropLast(2), as: UTF8.self), radix: 16) ?? 0
            let end = body.count + length
            while body.count < end { body += try receive(end - body.count) }
            _ = try receive(2)
            if length == 0 { return body }
        }
    }

    private func receive(_ count: Int) throws -> [UInt8] {
        var chunk = [UInt8](repeating: 0, count: min(count, 1 << 16))
        let got = recv(socket, &chunk, chunk.count, 0)
        guard got > 0 else { throw TestFailure("the connection ended: \(got) \(errno)") }
        return Array(chunk[..<got])
    }

    private func perform<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in queue.async { continuation.resume(returning: work()) } }
    }
}
