internal import AMQPClient
internal import CloudKitModel
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import ServiceLifecycle
internal import ServiceMessages
internal import SignedTokens

/// Delivers notifications to registered clients: `GET /courier?tok=…` (web-services 8.2), as a long poll or, with
/// `Accept: text/event-stream`, as server-sent events.
///
/// Only the token is required: there are no other credentials, and pages from any origin can send the request. Other
/// parameters, such as `ttl`, are ignored. Polls and streams with the same token share its notifications: each
/// notification is sent to only one of them.
struct CourierRoute: Sendable {
    /// How long to wait for the broker before the request is refused.
    private static let brokerTime = Duration.seconds(10)
    /// The value of `Cache-Control`. A notification is acknowledged when the client's host has received it, so proxies
    /// must neither store nor transform it. Compression, for example, would delay the end of the notification.
    static let cacheControl = "no-store, no-transform"

    private let keys: SigningKeys
    private let reader: AMQPQueueReader
    private let permits: CourierPermits
    private let poll: LongPoll
    private let streams: EventStreams

    /// Creates a route with the limits of `configuration`.
    ///
    /// - Parameters:
    ///   - keys: the keys that verify clients' tokens.
    ///   - reader: the reader of clients' queues. It must start before the HTTP server and stop after it.
    init(
        _ configuration: CourierConfiguration, keys: SigningKeys, reader: AMQPQueueReader, metrics: CourierMetrics
    ) {
        self.keys = keys
        self.reader = reader
        permits = CourierPermits(
            max: configuration.maxPolls, maxPerClient: configuration.maxPollsPerClient, metrics: metrics)
        poll = LongPoll(wait: configuration.wait, metrics: metrics)
        streams = EventStreams(
            heartbeat: configuration.heartbeat, resume: configuration.resume, metrics: metrics)
    }

    /// Returns the next notification, or a stream of events.
    ///
    /// - Throws: `ServerError`: `apns_token_invalid`, `apns_token_not_registered`, `too_many_polls`,
    ///   `client_queue_away`, or `service_ending`.
    func respond(to request: Request, query: QueryParameters, on channel: any Channel) async throws -> Response {
        guard let token = token(query["tok"] ?? "") else {
            throw ServerError(.apnsTokenInvalid, "This server did not issue the token", field: "tok")
        }
        let isStream = request.headers[values: .accept].contains { $0.contains("text/event-stream") }
        let permit = try permits.take(token.name, isStream ? .stream : .poll)
        // If the connection has closed, no client reads this response.
        guard let connection = try? await ClientConnection(channel) else { return Response(status: .ok) }
        var response: Response
        if isStream {
            let lastEventID = HTTPField.Name("Last-Event-ID").flatMap { request.headers[$0] }
            let stream = streams.begin(of: token.name, after: lastEventID)
            let reading = try await read(token, prefetch: EventWindow.prefetch)
            response = streams.response(stream, reading, connection, permit)
        } else {
            let reading = try await read(token, prefetch: 1)
            response = await poll.response(reading, connection, permit)
        }
        response.headers[.accessControlAllowOrigin] = "*"
        response.headers[.cacheControl] = Self.cacheControl
        return response
    }

    /// A service that ends all polls and streams at shutdown. It must start after the HTTP server, so that it stops
    /// first. Otherwise, the server would wait for the polls and streams.
    var ending: any Service { CourierEnding(permits: permits) }

    /// Parses a token, which can be in URL-safe base64 (``ClientToken/urlText``) or in standard base64
    /// (``ClientToken/text``).
    private func token(_ text: String) -> ClientToken? {
        // In a query, the plus signs of base64 might have become spaces.
        ClientToken(url: text, with: keys) ?? ClientToken(text.replacing(" ", with: "+"), with: keys)
    }

    private func read(_ token: ClientToken, prefetch: UInt16) async throws -> AMQPReading {
        do throws(AMQPError) {
            return try await reader.read(Queue.client(token.name), prefetch: prefetch, timeout: Self.brokerTime)
        } catch {
            if error.isEnding { throw ServerError.gatewayEnding() }
            if error.replyCode == 404 {
                throw ServerError(.apnsTokenNotRegistered, "The token is no longer registered", field: "tok")
            }
            throw ServerError(.clientQueueAway, "The client's queue is temporarily unavailable")
        }
    }
}

/// Ends polls and streams when the service shuts down.
private struct CourierEnding: Service {
    let permits: CourierPermits

    func run() async throws {
        try? await gracefulShutdown()
        permits.close()
    }
}
