internal import AMQPClient
internal import CloudKitModel
internal import CloudKitWire
internal import RequestServing
internal import ServiceMessages
internal import ServiceRuntime

/// Takes writes from the broker's queue, checks and decodes them, and adds record writes to the lanes' queue:
/// immediately if their zone is cached, otherwise after ``ZoneLookUp`` has looked it up. Writes in the shared database
/// are always looked up. The intake never waits.
struct WriteIntake: Sendable {
    let consumer: AMQPConsumer
    let reader: RequestReader
    let lookUp: ZoneLookUp
    let queue: WriteQueue
    let databaseWrites: DatabaseWrites
    let responder: Responder
    let metrics: RequestMetrics
    let limits: Limits
    /// Whether the targets of `DELETE_SELF` references must exist for every client.
    let strictReferences: Bool

    /// Runs until the consumer stops.
    func run() async {
        var generation: UInt64 = 0
        for await deliveries in consumer.batches {
            if let newest = deliveries.last?.generation, newest > generation {
                generation = newest
                // Requests from the previous connection can no longer be acknowledged, and the broker redelivers them.
                metrics.wentBack(queue.removeAll(before: generation))
            }
            take(deliveries)
        }
    }

    func take(_ deliveries: [AMQPDelivery]) {
        let now = SystemClock.milliseconds()
        var requests: [WriteRequest] = []
        var unresolved: [UnresolvedWrite] = []
        // If the zone of a write must be looked up, later writes to that zone must not overtake it.
        var unknown: Set<ZoneAddress> = []
        var refused: [Response] = []
        for delivery in deliveries {
            let delivery = DelayedRequest.original(of: delivery)
            metrics.took(delivery)
            switch reader.open(delivery, now: now) {
            case .expired:
                metrics.expired()
                consumer.acknowledge([delivery])
            case .refused(let answer, let requestID):
                refused.append(Response(delivery, answer, requestID: requestID))
            case .sound(let request) where request.operation == .recordsModify:
                do {
                    let write = try recordWrite(request)
                    if !unknown.contains(write.address), let zone = lookUp.known(write) {
                        requests.append(write.resolved(in: zone))
                    } else {
                        // Writes of participants do not delay the owner's writes.
                        if !write.isShared { unknown.insert(write.address) }
                        unresolved.append(write)
                    }
                } catch {
                    let answer = Answer(error: error, context: request.context)
                    refused.append(Response(delivery, answer, requestID: request.context.requestID))
                }
            case .sound(let request):
                databaseWrites.add(.zones(request))
            }
        }
        if !refused.isEmpty { responder.send(refused, consumer: consumer) }
        if !requests.isEmpty { queue.add(requests) }
        lookUp.add(unresolved)
    }

    private func recordWrite(_ request: OpenedRequest) throws(ServerError) -> UnresolvedWrite {
        let body = try ModifyRecordsRequest(decoding: request.delivery.body, limits: limits)
        var names: Set<RecordName> = []
        for name in body.operations.lazy.compactMap(\.record.recordName) where !names.insert(name).inserted {
            throw ServerError.duplicateRecord(name)
        }
        let zoneID = body.zoneID ?? .defaultZone
        try limits.profile.checkAtomic(body.atomic, in: zoneID)
        let context = try ZoneAccess.context(of: zoneID, for: request.context)
        return UnresolvedWrite(
            delivery: request.delivery, context: context, body: body, bodyHash: request.identity,
            checksOwners: strictReferences || request.context.isFromWeb)
    }
}
