internal import AMQPClient
internal import CloudKitModel
internal import CloudKitWire
internal import Crypto
internal import Logging
internal import ServiceMessages
internal import ServiceRuntime

/// Takes writes off their queue: checks, decodes, finds the zone, and hands record writes to the lanes and zone
/// writes to workers of their own.
struct WriteIntake: Sendable {
    let consumer: AMQPConsumer
    let reader: RequestReader
    let directory: Directory
    let queue: WriteQueue
    let zoneWrites: RequestWorkers
    let responder: Responder
    let metrics: ServiceMetrics
    let trouble: DatabaseTrouble
    let limits: Limits

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
        var refused: [Responder.Response] = []
        for delivery in deliveries {
            switch reader.open(delivery, now: now) {
            case .expired:
                metrics.count(ServiceMetrics.Series("zonda_requests_expired_total"))
                consumer.acknowledge([delivery])
            case .refused(let answer):
                refused.append(Responder.Response(delivery, answer))
            case .sound(let request):
                do throws(ServerError) {
                    switch request.operation {
                    case .recordsModify: requests.append(try await recordWrite(request))
                    default: zoneWrites.submit(request)
                    }
                } catch {
                    refused.append(Responder.Response(delivery, Answer(error: error, context: request.context)))
                }
            }
        }
        if !refused.isEmpty { responder.send(refused) { consumer.acknowledge($0) } }
        if !requests.isEmpty { queue.add(requests) }
    }

    private func recordWrite(_ request: OpenedRequest) async throws(ServerError) -> WriteRequest {
        let body = try ModifyRecordsRequest(decoding: request.delivery.body, limits: limits)
        var names: Set<String> = []
        for name in body.operations.lazy.compactMap(\.record.recordName) where !names.insert(name).inserted {
            throw .duplicateRecord(name)
        }
        let zoneID = body.zoneID ?? .defaultZone
        guard let zone = try await find(zoneID, for: request.context) else { throw .zoneNotFound(zoneID) }
        return WriteRequest(
            delivery: request.delivery, context: request.context, body: body,
            bodyHash: Array(SHA256.hash(data: request.delivery.body)), zone: zone)
    }

    private func find(_ zoneID: ZoneID, for context: RequestContext) async throws(ServerError) -> ZoneEntry? {
        try ZoneAccess.check(zoneID, for: context)
        let name = zoneID.zoneName.rawValue
        if let known = directory.remembered(context.address(ofZone: name)) { return known }
        return try await trouble.outlast(deadline: context.deadline) {
            try await directory.zone(name, for: context, createDatabase: true)
        }
    }
}
