internal import AMQPClient
internal import CloudKitModel
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import ServiceLifecycle
internal import ServiceMessages
internal import SignedTokens

/// Where registered clients wait for notifications: `GET /courier?tok=…` (web-services 8.2), as a long poll or, with
/// `Accept: text/event-stream`, as server-sent events.
///
/// The token is all that it takes: there are no credentials, and pages of any origin may ask. `ttl` and whatever else
/// stands in the URL is ignored. Several polls and streams of one token share its notifications, each of which goes to
/// one of them.
struct CourierRoute: Sendable {
    /// How long the broker is waited for before a client is told to come back later.
    private static let patience = Duration.seconds(10)
    /// An answer is acknowledged when the client's host has received it: so nobody on the way may keep it, or transform it
    /// into something that is complete only later, as compression does.
    static let cacheControl = "no-store, no-transform"

    private let keys: SigningKeys
    private let reader: AMQPQueueReader
    private let places: CourierPlaces
    private let poll: LongPoll
    private let streams: EventStreams

    /// A route.
    ///
    /// - Parameters:
    ///   - keys: verify clients' tokens.
    ///   - reader: reads clients' queues; to be run before HTTP is served, and to end after it.
    init(
        _ configuration: CourierConfiguration, keys: SigningKeys, reader: AMQPQueueReader, metrics: CourierMetrics
    ) {
        self.keys = keys
        self.reader = reader
        places = CourierPlaces(
            max: configuration.maxPolls, maxPerClient: configuration.maxPollsPerClient, metrics: metrics)
        poll = LongPoll(wait: configuration.wait, metrics: metrics)
        streams = EventStreams(
            heartbeat: configuration.heartbeat, resume: configuration.resume, metrics: metrics)
    }

    /// The next notification, or events as they come.
    ///
    /// - Throws: `ServerError`: `apns_token_invalid`, `apns_token_not_registered`, `too_many_polls`,
    ///   `client_queue_away`, `service_ending`.
    func respond(to request: Request, query: QueryParameters, on channel: any Channel) async throws -> Response {
        guard let token = token(query["tok"] ?? "") else {
            throw ServerError(.apnsTokenInvalid, "The token was not issued by this server", field: "tok")
        }
        let isStream = request.headers[values: .accept].contains { $0.contains("text/event-stream") }
        let place = try places.take(token.name, isStream ? .stream : .poll)
        // The client may be gone before anything could be asked; nobody reads this then.
        guard let line = try? await ClientLine(channel) else { return Response(status: .ok) }
        var response: Response
        if isStream {
            let lastEventID = HTTPField.Name("Last-Event-ID").flatMap { request.headers[$0] }
            let stream = streams.begin(of: token.name, after: lastEventID)
            let reading = try await read(token, prefetch: EventWindow.prefetch)
            response = streams.response(stream, reading, line, place)
        } else {
            let reading = try await read(token, prefetch: 1)
            response = await poll.response(reading, line, place)
        }
        response.headers[.accessControlAllowOrigin] = "*"
        response.headers[.cacheControl] = Self.cacheControl
        return response
    }

    /// To be run after HTTP is served, and so to end before it: ends all polls and streams, which HTTP would wait for.
    var ending: any Service { CourierEnding(places: places) }

    /// As it stands in the URL that the client was given, or as it was given itself.
    private func token(_ text: String) -> ClientToken? {
        // In a query a plus sign of the base64 may have become a space.
        ClientToken(url: text, with: keys) ?? ClientToken(text.replacing(" ", with: "+"), with: keys)
    }

    private func read(_ token: ClientToken, prefetch: UInt16) async throws -> AMQPReading {
        do throws(AMQPError) {
            return try await reader.read(Queue.client(token.name), prefetch: prefetch, timeout: Self.patience)
        } catch {
            if error.isEnding { throw ServerError.gatewayEnding() }
            if error.replyCode == 404 {
                throw ServerError(.apnsTokenNotRegistered, "The token is not registered any more", field: "tok")
            }
            throw ServerError(.clientQueueAway, "The client's queue cannot be reached")
        }
    }
}

/// Ends polls and streams when the service does.
private struct CourierEnding: Service {
    let places: CourierPlaces

    func run() async throws {
        try? await gracefulShutdown()
        places.close()
    }
}
