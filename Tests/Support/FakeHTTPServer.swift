import Foundation
import Glibc

/// An HTTP/1.1 server on a free port of the loopback interface. It has a thread for each connection, because blocked
/// threads of a dispatch queue would delay the tests' tasks.
package final class FakeHTTPServer: Sendable {
    /// A request with its whole body.
    package struct Request: Sendable {
        /// The method, such as `GET`.
        package var method: String
        /// The path with the query.
        package var path: String
        /// The headers, with names in lower case.
        package var headers: [String: String]
        /// The whole body.
        package var body: [UInt8]
    }

    /// The answer to a request.
    package struct Response: Sendable {
        /// The HTTP status.
        package var status: Int
        /// The headers, in addition to the body's length.
        package var headers: [String: String]
        /// The whole body. In the answer to a `HEAD` request, only its length is sent.
        package var body: [UInt8]
        /// The number of bytes of the body after which the server disconnects; nil to send all.
        package var isCutOffAfter: Int?

        /// Creates a response.
        package init(status: Int = 200, headers: [String: String] = [:], body: [UInt8] = []) {
            self.status = status
            self.headers = headers
            self.body = body
        }
    }

    /// The URL, `http://127.0.0.1:<port>`.
    package let url: String
    private let listener: Int32

    /// Creates a server that sends the responses that `answer` returns.
    ///
    /// - Parameter takesBody: whether the server reads the body of a request to the given path. If not, it disconnects
    ///   in the middle of the body.
    package init(
        takesBody: @escaping @Sendable (String) -> Bool = { _ in true },
        _ answer: @escaping @Sendable (Request) -> Response
    ) {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                _ = bind(listener, address, length)
                _ = getsockname(listener, address, &length)
            }
        }
        listen(listener, 64)
        self.listener = listener
        url = "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))"
        Thread.detachNewThread {
            while case let connection = accept(listener, nil, nil), connection >= 0 {
                Thread.detachNewThread { Self.serve(connection, takesBody, answer) }
            }
            // Closed here rather than in `deinit`: the number of the descriptor must not be reused by another server
            // while this thread still uses it.
            close(listener)
        }
    }

    deinit { shutdown(listener, Int32(SHUT_RDWR)) }

    private static func serve(
        _ connection: Int32, _ takesBody: (String) -> Bool, _ answer: (Request) -> Response
    ) {
        defer { close(connection) }
        var buffer: [UInt8] = []
        while let request = receive(connection, &buffer, takesBody) {
            guard send(answer(request), to: request.method, connection) else { return }
        }
    }

    private static func receive(
        _ connection: Int32, _ buffer: inout [UInt8], _ takesBody: (String) -> Bool
    ) -> Request? {
        let end = Array("\r\n\r\n".utf8)
        var headEnd = buffer.firstRange(of: end)
        while headEnd == nil {
            guard more(connection, &buffer) else { return nil }
            headEnd = buffer.firstRange(of: end)
        }
        guard let headEnd else { return nil }
        let lines = String(decoding: buffer[..<headEnd.lowerBound], as: UTF8.self).split(separator: "\r\n")
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            headers[parts[0].lowercased()] = parts[1].drop { $0 == " " }.description
        }
        buffer.removeSubrange(..<headEnd.upperBound)
        let words = lines[0].split(separator: " ").map(String.init)
        guard takesBody(words[1]) else { return nil }
        let length = Int(headers["content-length"] ?? "0") ?? 0
        while buffer.count < length {
            guard more(connection, &buffer) else { return nil }
        }
        defer { buffer.removeSubrange(..<length) }
        return Request(method: words[0], path: words[1], headers: headers, body: Array(buffer[..<length]))
    }

    private static func more(_ connection: Int32, _ buffer: inout [UInt8]) -> Bool {
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        let count = recv(connection, &chunk, chunk.count, 0)
        guard count > 0 else { return false }
        buffer += chunk[..<count]
        return true
    }

    private static func send(_ response: Response, to method: String, _ connection: Int32) -> Bool {
        let headers = response.headers.map { "\($0): \($1)\r\n" }.joined()
        let head = "HTTP/1.1 \(response.status) X\r\n\(headers)content-length: \(response.body.count)\r\n\r\n"
        let body = method == "HEAD" ? [] : response.body.prefix(response.isCutOffAfter ?? .max)
        var rest = (Array(head.utf8) + body)[...]
        while !rest.isEmpty {
            let sent = rest.withUnsafeBytes { Glibc.send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard sent > 0 else { return false }
            rest = rest.dropFirst(sent)
        }
        return response.isCutOffAfter == nil
    }
}
