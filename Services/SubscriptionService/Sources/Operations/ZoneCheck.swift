internal import AMQPClient
internal import CloudKitModel
internal import CloudKitWire
internal import Foundation
internal import RequestServing
internal import ServiceMessages

/// Asks the record service which zones are there.
struct ZoneCheck: Sendable {
    /// How long one attempt may take.
    private static let maxWait = Duration.seconds(5)

    private static let headers = [
        Header.version, Header.container, Header.environment, Header.database, Header.user, Header.requestID,
        Header.trace,
    ]

    let call: RemoteCall
    /// How long it is asked for a caller who gave no deadline: a worker must not be kept for ever.
    var patience = Duration.seconds(60)

    /// The errors of those of `zones` that the caller of `request` does not have. Asks until there is an answer or the
    /// request's deadline has passed; without one, for a minute.
    ///
    /// - Throws: ``ServerError`` when the record service refuses the whole question (the container does not exist), or
    ///   `TRY_AGAIN_LATER` past the deadline; ``Withheld`` when the service is ending.
    func missing(_ zones: [ZoneID], for request: OpenedRequest) async throws -> [ZoneName: ServerError] {
        guard !zones.isEmpty else { return [:] }
        let reply = try WireReply(decoding: try await answer(to: question(Array(Set(zones)), request), request.context))
        if let error = reply.error { throw error }
        var missing: [ZoneName: ServerError] = [:]
        for zone in reply.zones ?? [] { missing[zone.zoneID?.zoneName ?? .defaultZone] = zone.error }
        return missing
    }

    /// With the caller's headers: the record service looks with the caller's eyes.
    private func question(_ zones: [ZoneID], _ request: OpenedRequest) -> AMQPMessage {
        var writer = WireWriter()
        writer.lookupZones(LookupZonesRequest(zones: zones))
        var headers: AMQPTable = [:]
        for name in Self.headers { headers[name] = request.delivery.properties.headers[name] }
        return AMQPMessage(
            exchange: Exchange.internal,
            routingKey: ServiceMessages.Operation.zonesLookup.rawValue,
            properties: AMQPProperties(
                contentType: "application/json", isPersistent: false, headers: headers),
            body: writer.bytes)
    }

    private func answer(to question: AMQPMessage, _ context: RequestContext) async throws -> [UInt8] {
        let deadline = context.deadline ?? SystemClock.milliseconds() + patience.milliseconds
        var question = question
        while true {
            let now = SystemClock.milliseconds()
            let wait = min(max(1, deadline - now), Self.maxWait.milliseconds)
            // Each attempt is dropped when nobody waits for it any more.
            question.properties.headers[Header.deadline] = .int64(now + wait)
            do {
                return try await call(question, .milliseconds(wait)).body
            } catch {
                if error.isEnding || Task.isCancelled { throw Withheld() }
                guard SystemClock.milliseconds() < deadline else {
                    throw ServerError(.recordServiceAway, "The record service cannot be reached")
                }
                // What was refused at once would be so again; a question without an answer has waited already.
                if error.code != .timedOut { try? await Task.sleep(for: .seconds(1)) }
            }
        }
    }
}
