internal import AsyncHTTPClient
internal import NIOCore

/// Reads the events of an open stream, as the consumer asks for them.
struct EventReader {
    private var body: HTTPClientResponse.Body.AsyncIterator
    private var parser = ServerSentEventParser()
    private var waiting: ArraySlice<ServerSentEvent> = []

    /// Creates a reader of the body of an answer.
    init(_ body: HTTPClientResponse.Body) { self.body = body.makeAsyncIterator() }

    /// Returns the next event; nil at the end of the stream.
    ///
    /// - Throws: errors of the connection; ``CKError/Code/internalError`` if an event is too long.
    mutating func next() async throws -> ServerSentEvent? {
        while true {
            if let event = waiting.popFirst() { return event }
            guard !parser.isOverlong else { throw CKError.unexpectedAnswer("an event is too long") }
            guard let bytes = try await body.next(isolation: #isolation) else { return nil }
            waiting = parser.take(bytes.readableBytesView)[...]
        }
    }
}
