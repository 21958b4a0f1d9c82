internal import AMQPClient
internal import CloudKitModel
internal import CloudKitWire
internal import RequestServing
internal import ServiceMessages

/// Asks the record service whether there is a container: nobody gets an account or a token in one that is mistyped.
///
/// It is asked for the default zone of the public database, as anybody may. Where containers are made on first use
/// (`ZONDA_CREATE_CONTAINERS`), asking is one.
struct ContainerCheck: Sendable {
    /// Asks another service and waits for its answer, at most that long: `AMQPRPCClient.call(_:timeout:)`.
    typealias Ask = @Sendable (AMQPMessage, Duration) async throws(AMQPError) -> AMQPDelivery

    /// How long an operator waits.
    private static let patience = Duration.seconds(10)

    let ask: Ask

    /// Returns when there is the container.
    ///
    /// - Throws: `NOT_FOUND` when there is none, `TRY_AGAIN_LATER` when the record service does not say; ``Withheld`` when
    ///   the gateway is ending.
    func check(_ container: String, for request: OpenedRequest) async throws {
        var writer = WireWriter()
        writer.lookupZones(LookupZonesRequest(zones: [ZoneID(zoneName: .defaultZone)]))
        let deadline = SystemClock.milliseconds() + Self.patience.components.seconds * 1000
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
            reply = try await ask(question, Self.patience)
        } catch {
            if error.isEnding || Task.isCancelled { throw Withheld() }
            throw ServerError(.recordServiceAway, "The record service cannot be reached")
        }
        guard reply.properties.headers.int64(Header.status) != 200 else { return }
        throw try WireReply(decoding: reply.body).error ?? .internalError()
    }
}
