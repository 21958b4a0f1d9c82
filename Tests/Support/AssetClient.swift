import AsyncHTTPClient
package import CloudKitWire
import Foundation
import NIOCore
import NIOHTTP1

/// Uploads and downloads as clients do, over HTTP.
package enum AssetClient {
    /// What came back.
    package struct Response: Sendable {
        /// The HTTP status.
        package let status: Int
        /// The headers, names in lower case.
        package let headers: [String: String]
        /// The body.
        package let body: [UInt8]

        /// The body as JSON; null when it is none.
        package var json: JSONValue { (try? JSONValue(parsing: body)) ?? .null }
    }

    /// Nothing that a test asks for takes longer.
    private static let limit = TimeAmount.seconds(120)

    /// Sends `bytes` to an upload's URL.
    ///
    /// - Throws: when the server does not answer.
    package static func upload(
        _ bytes: [UInt8], to url: String, method: String = "POST", contentType: String? = nil,
        headers: [String: String] = [:]
    ) async throws -> Response {
        var request = HTTPClientRequest(url: url)
        request.method = .init(rawValue: method)
        if let contentType { request.headers.add(name: "content-type", value: contentType) }
        for (name, value) in headers { request.headers.add(name: name, value: value) }
        request.body = .bytes(bytes)
        return try await execute(request)
    }

    /// Sends `count` chunks that are all `chunk`, without telling a length beforehand.
    ///
    /// - Throws: when the server does not answer.
    package static func upload(chunk: [UInt8], count: Int, to url: String) async throws -> Response {
        var request = HTTPClientRequest(url: url)
        request.method = .POST
        let chunks = AsyncStream { continuation in
            for _ in 0..<count { continuation.yield(ByteBuffer(bytes: chunk)) }
            continuation.finish()
        }
        request.body = .stream(chunks, length: .unknown)
        return try await execute(request)
    }

    /// Asks for a URL as it is.
    ///
    /// - Throws: when the server does not answer.
    package static func get(
        _ url: String, method: String = "GET", headers: [String: String] = [:]
    ) async throws -> Response {
        // The address is handed out with a placeholder that URLs do not allow.
        var request = HTTPClientRequest(
            url: url.replacingOccurrences(of: "{", with: "%7B").replacingOccurrences(of: "}", with: "%7D"))
        request.method = .init(rawValue: method)
        for (name, value) in headers { request.headers.add(name: name, value: value) }
        return try await execute(request)
    }

    private static func execute(_ request: HTTPClientRequest) async throws -> Response {
        let response = try await HTTPClient.shared.execute(request, timeout: limit)
        let body = try await response.body.collect(upTo: 1 << 30)
        var headers: [String: String] = [:]
        for (name, value) in response.headers { headers[name.lowercased()] = value }
        return Response(status: Int(response.status.code), headers: headers, body: Array(body.readableBytesView))
    }

    /// Begins to upload `declared` bytes, sends `sent` of them, and hangs up.
    ///
    /// - Throws: ``TestFailure`` when the server cannot be reached.
    package static func hangUp(afterSending sent: Int, of declared: Int, to url: String) async throws {
        guard let url = URL(string: url), let port = url.port else { throw TestFailure("not an address: \(url)") }
        var request = Array(
            "POST \(url.path) HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(declared)\r\n\r\n".utf8)
        request += [UInt8](repeating: 7, count: sent)
        guard await HTTPProbe.send(request, port: port) else { throw TestFailure("nothing listens at \(port)") }
    }
}
