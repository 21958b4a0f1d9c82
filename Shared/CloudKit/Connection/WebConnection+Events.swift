internal import AsyncHTTPClient
internal import NIOCore
internal import NIOHTTP1

extension WebConnection {
    /// Opens the stream of server-sent events at an address.
    ///
    /// - Parameters:
    ///   - lastEventID: the ID of the last event that has been processed; nil to read all that wait.
    ///   - duration: how long the stream lasts, at most. Then its reader fails, and a new stream continues it.
    /// - Throws: the server's error, or a network error.
    func openEvents(
        at url: String, after lastEventID: String?, lasting duration: Duration
    ) async throws(CKError) -> HTTPClientResponse.Body {
        var request = HTTPClientRequest(url: url)
        request.headers.add(name: "accept", value: "text/event-stream")
        if let lastEventID { request.headers.add(name: "last-event-id", value: lastEventID) }
        do {
            let response = try await client.execute(request, timeout: TimeAmount(duration))
            if response.status == .ok { return response.body }
            let body = try await response.body.collect(upTo: Self.maxAnswerBytes)
            throw CKError.answer(
                status: Int(response.status.code), body: Array(body.readableBytesView),
                retryAfter: response.headers.first(name: "retry-after"),
                requestID: response.headers.first(name: "x-apple-request-uuid"))
        } catch let error as CKError {
            throw error
        } catch {
            throw TransportFault(error).error(url: place.url, isWrite: false)
        }
    }
}
