import AsyncHTTPClient
package import CloudKitWire
package import Foundation
import NIOCore
import NIOHTTP1
import NIOSSL

/// Reads server-sent events, as a browser's `EventSource` does (HTML standard, 9.2).
package enum EventSource {
    /// An event that a stream delivered.
    package struct Event: Sendable {
        /// The id from which a client continues after its connection has been lost.
        package let id: String
        /// The event's data.
        package let data: JSONValue
    }

    /// Connects, reads `count` events and disconnects.
    ///
    /// - Parameters:
    ///   - lastEventID: the id of the last event that was read before.
    ///   - certificate: a PEM file, which alone is trusted; nil for plain HTTP.
    /// - Throws: ``TestFailure`` if the answer is not a stream, or if the stream ends too early.
    package static func read(
        _ count: Int, from url: String, lastEventID: String? = nil, trusting certificate: URL? = nil
    ) async throws -> [Event] {
        var configuration = HTTPClient.Configuration()
        if let certificate {
            var tls = TLSConfiguration.makeClientConfiguration()
            tls.trustRoots = .file(certificate.path)
            configuration.tlsConfiguration = tls
        }
        let client = HTTPClient(configuration: configuration)
        do {
            let events = try await read(count, from: url, lastEventID: lastEventID, with: client)
            try await client.shutdown()
            return events
        } catch {
            try? await client.shutdown()
            throw error
        }
    }

    private static func read(
        _ count: Int, from url: String, lastEventID: String?, with client: HTTPClient
    ) async throws -> [Event] {
        var request = HTTPClientRequest(url: url)
        request.headers.add(name: "accept", value: "text/event-stream")
        // Browsers send this header. The server must not compress the stream, because the events would then not arrive
        // one by one.
        request.headers.add(name: "accept-encoding", value: "gzip")
        if let lastEventID { request.headers.add(name: "last-event-id", value: lastEventID) }
        let response = try await client.execute(request, timeout: .minutes(5))
        guard response.headers.first(name: "content-type")?.hasPrefix("text/event-stream") == true,
            response.headers.first(name: "content-encoding") == nil
        else {
            throw TestFailure("no stream: \(response.status) \(response.headers)")
        }
        var (events, id, data, line) = ([Event](), "", "", [UInt8]())
        for try await chunk in response.body {
            for byte in chunk.readableBytesView {
                guard byte == UInt8(ascii: "\n") else {
                    line.append(byte)
                    continue
                }
                let text = String(decoding: line, as: UTF8.self)
                line = []
                if text.hasPrefix("id: ") { id = String(text.dropFirst(4)) }
                if text.hasPrefix("data: ") { data += text.dropFirst(6) }
                guard text.isEmpty, !data.isEmpty else { continue }
                events.append(Event(id: id, data: try JSONValue(parsing: Array(data.utf8))))
                data = ""
                if events.count == count { return events }
            }
        }
        throw TestFailure("the stream ended after \(events.count) events")
    }
}
