internal import AMQPClient
internal import CloudKitModel
internal import CloudKitWire
internal import RequestServing
internal import ServiceMessages

/// Asks the record service whether a container exists, so that no account or token is created for a mistyped
/// identifier.
///
/// The request looks up the default zone of the public database, which every user is allowed to read. If containers are
/// created on first use (`ZONDA_CREATE_CONTAINERS`), the request creates the container.
struct ContainerCheck: Sendable {
    /// The time limit for an answer from the record service.
    private static let answerTime = Duration.seconds(10)

    let call: RemoteCall

    /// Checks that the container exists.
    ///
    /// - Throws: `NOT_FOUND` if it does not exist, `TRY_AGAIN_LATER` if the record service does not answer, or
    ///   ``ServiceStopping`` if the gateway is stopping.
    func check(_ container: String, for request: OpenedRequest) async throws {
        var writer = WireWriter()
        writer.lookupZones(LookupZonesRequest(zones: [ZoneID(zoneName: .defaultZone)]))
        let deadline = SystemClock.milliseconds() + Self.answerTime.components.seconds * 1000
        var headers: AMQPTable = [
            Header.version: 1, Header.container: .string(container), Header.environment: "development",
            Header.database: "public", Header.deadline: .int64(deadline),
            Header.requestID: .string(request.context.requestID),
        ]
        headers.set(request.context.trace)
        let question = AMQPMessage(
            exchange: Exchange.requests, routingKey: Operation.zonesLookup.rawValue,
            properties: AMQPProperties(contentType: "application/json", isPersistent: false, headers: headers),
            body: writer.bytes)
        let reply: AMQPDelivery
        do {
            reply = try await call(question, Self.answerTime)
        } catch {
            if error.isEnding || Task.isCancelled { throw ServiceStopping() }
            throw ServerError(.recordServiceAway, "The record service cannot be reached")
        }
        guard reply.properties.headers.int64(Header.status) != 200 else { return }
        throw try WireReply(decoding: reply.body).error ?? .internalError()
    }
}
