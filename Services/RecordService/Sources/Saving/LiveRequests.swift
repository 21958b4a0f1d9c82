internal import AMQPClient
internal import RequestServing
internal import ServiceMessages

/// A request that is waiting to be executed.
protocol WaitingRequest {
    /// The message that contains the request.
    var delivery: AMQPDelivery { get }
    /// The caller, database and deadline of the request.
    var context: RequestContext { get }
}

extension WriteRequest: WaitingRequest {}
extension UnresolvedWrite: WaitingRequest {}
extension OpenedRequest: WaitingRequest {}

/// Separates the waiting requests that must still be executed from the others.
///
/// A request whose connection was lost is left to the broker, which redelivers it. A request that has expired is
/// acknowledged.
struct LiveRequests: Sendable {
    let consumer: AMQPConsumer
    let metrics: RequestMetrics

    /// Whether `request` must still be executed.
    func contains(_ request: some WaitingRequest) -> Bool { !filter([request]).live.isEmpty }

    /// Returns the requests that must still be executed, and the others.
    func filter<Request: WaitingRequest>(_ requests: [Request]) -> (live: [Request], others: [Request]) {
        let now = SystemClock.milliseconds()
        var live: [Request] = []
        var others: [Request] = []
        var expired: [AMQPDelivery] = []
        for request in requests {
            if consumer.isStale(request.delivery) {
                others.append(request)
            } else if request.context.isExpired(at: now) {
                others.append(request)
                expired.append(request.delivery)
            } else {
                live.append(request)
            }
        }
        if others.count > expired.count { metrics.wentBack(others.count - expired.count) }
        if !expired.isEmpty {
            metrics.expired(expired.count)
            consumer.acknowledge(expired)
        }
        return (live, others)
    }
}
