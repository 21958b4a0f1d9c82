import AsyncHTTPClient
package import CloudKitWire
import Foundation
import NIOCore
import NIOHTTP1

/// Uploads and downloads over HTTP, as clients do.
package enum AssetClient {
    /// The response to a request.
    package struct Response: Sendable {
        /// The HTTP status.
        package let status: Int
        /// The headers, with names in lower case.
        package let headers: [String: String]
        /// The body.
        package let body: [UInt8]

        /// The body as JSON; null if it is not JSON.
        package var json: JSONValue { (try? JSONValue(parsing: body)) ?? .null }
    }

    /// The time limit of every request. No request of a test takes longer.
    private static let limit = TimeAmount.seconds(120)

    /// Sends `bytes` to the URL of an upload.
    ///
    /// - Throws: an error if the server does not answer.
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

    /// Sends `chunk` `count` times, without announcing the length.
    ///
    /// - Throws: an error if the server does not answer.
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

    /// Requests a URL without changing it.
    ///
    /// - Throws: an error if the server does not answer.
    package static func get(
        _ url: String, method: String = "GET", headers: [String: String] = [:]
    ) async throws -> Response {
        // The service issues the address with a placeholder that URLs do not allow.
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

    /// Begins an upload of `declared` bytes, sends `sent` of them, and disconnects.
    ///
    /// - Throws: ``TestFailure`` if the server cannot be reached.
    package static func hangUp(afterSending sent: Int, of declared: Int, to url: String) async throws {
        guard let url = URL(string: url), let port = url.port else { throw TestFailure("invalid URL: \(url)") }
        var request = Array(
            "POST \(url.path) HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(declared)\r\n\r\n".utf8)
        request += [UInt8](repeating: 7, count: sent)
        guard await HTTPProbe.send(request, port: port) else { throw TestFailure("no server on port \(port)") }
    }
}
