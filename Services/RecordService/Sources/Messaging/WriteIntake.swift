internal import AMQPClient
internal import CloudKitModel
internal import CloudKitWire
internal import RequestServing
internal import ServiceMessages
internal import ServiceRuntime

/// Takes writes off their queue: checks, decodes, finds the zone, and hands record writes to the lanes; zone
/// writes, and record writes whose zone is not there, to workers of their own.
struct WriteIntake: Sendable {
    let consumer: AMQPConsumer
    let reader: RequestReader
    let directory: Directory
    let queue: WriteQueue
    let zoneWrites: RequestWorkers
    let responder: Responder
    let metrics: RequestMetrics
    let trouble: DatabaseTrouble
    let limits: Limits
    /// Whether the targets of `DELETE_SELF` references have to be there, whoever asks.
    let strictReferences: Bool

    /// Until the consumer ends.
    func run() async {
        for await deliveries in consumer.batches {
            await take(deliveries)
        }
    }

    /// One batch of deliveries.
    func take(_ deliveries: [AMQPDelivery]) async {
        let now = SystemClock.milliseconds()
        var requests: [WriteRequest] = []
        var refused: [Response] = []
        for delivery in deliveries {
            metrics.took(delivery)
            switch reader.open(delivery, now: now) {
            case .expired:
                metrics.expired()
                consumer.acknowledge([delivery])
            case .refused(let answer, let requestID):
                refused.append(Response(delivery, answer, requestID: requestID))
            case .sound(let request) where request.operation == .recordsModify:
                do {
                    if let write = try await recordWrite(request) {
                        requests.append(write)
                    } else {
                        zoneWrites.submit(request)
                    }
                } catch let error as ServerError {
                    let answer = Answer(error: error, context: request.context)
                    refused.append(Response(delivery, answer, requestID: request.context.requestID))
                } catch {
                    // The service is ending: the delivery goes back to the broker.
                }
            case .sound(let request):
                zoneWrites.submit(request)
            }
        }
        if !refused.isEmpty { responder.send(refused, consumer: consumer) }
        if !requests.isEmpty { queue.add(requests) }
    }

    /// - Returns: nil when the zone is not there.
    private func recordWrite(_ request: OpenedRequest) async throws -> WriteRequest? {
        let body = try ModifyRecordsRequest(decoding: request.delivery.body, limits: limits)
        var names: Set<RecordName> = []
        for name in body.operations.lazy.compactMap(\.record.recordName) where !names.insert(name).inserted {
            throw ServerError.duplicateRecord(name)
        }
        let zoneID = body.zoneID ?? .defaultZone
        try limits.profile.checkAtomic(body.atomic, in: zoneID)
        guard let zone = try await find(zoneID, for: request.context) else { return nil }
        var write = WriteRequest(
            delivery: request.delivery, context: request.context, body: body, bodyHash: request.identity, zone: zone)
        write.checksOwners = strictReferences || request.context.isFromWeb
        return write
    }

    private func find(_ zoneID: ZoneID, for context: RequestContext) async throws -> ZoneEntry? {
        try ZoneAccess.check(zoneID, for: context)
        let name = zoneID.zoneName
        if let known = directory.remembered(context.address(ofZone: name)) { return known }
        return try await WorkOrigin.$current.withValue(WorkOrigin(context)) {
            try await trouble.outlast(deadline: context.deadline) {
                try await directory.zone(name, for: context, createDatabase: true)
            }
        }
    }
}
