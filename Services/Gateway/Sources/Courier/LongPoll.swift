internal import AMQPClient
internal import CoreMetrics
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import ServiceRuntime

/// Answers a request with one notification, as soon as there is one.
///
/// A notification is acknowledged to the broker when the client's host has received the answer; that of a client that was
/// gone before returns to its place in the queue. So it comes at least once, and twice only when the connection to the
/// broker was lost meanwhile. What the client does with an answer that it has received, nobody knows: the protocol has
/// no word for it.
struct LongPoll: Sendable {
    /// How long a client's host may take to receive an answer.
    private static let receiptLimit = Duration.seconds(10)

    /// How long to wait for a notification.
    let wait: Duration
    let metrics: CourierMetrics

    /// The answer: the notification, or `null` (which CloudKit JS passes over) when there was none in time, or nobody to
    /// wait for one.
    func response(_ reading: AMQPReading, _ line: ClientLine, _ place: CourierPlace) async -> Response {
        let timer = line.schedule(in: wait) { reading.stop() }
        line.whenOver { reading.stop() }
        place.attach(reading)
        let delivery = await reading.next()?.first
        place.detach()
        line.whenOver(nil)
        timer.cancel()
        // The next notification is for the next poll, which may come before this answer is received.
        reading.stop()
        let headers: HTTPFields = [.contentType: "application/json; charset=UTF-8"]
        guard let delivery else {
            return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: "null")))
        }
        let body = ResponseBody(contentLength: delivery.body.count) { [metrics] writer in
            defer { reading.end() }
            let isReceived = try await Self.send(delivery, to: &writer, line)
            if isReceived {
                reading.acknowledge([delivery])
                metrics.delivered[.poll].increment()
            } else {
                metrics.returned[.poll].increment()
            }
            try await writer.finish(nil)
            withExtendedLifetime(place) {}
        }
        return Response(status: .ok, headers: headers, body: body)
    }

    /// Whether the client's host has received it. The answer is whole for the client before it is finished here.
    @concurrent private static func send(
        _ delivery: AMQPDelivery, to writer: inout any ResponseBodyWriter, _ line: ClientLine
    ) async throws -> Bool {
        try await writer.write(ByteBuffer(bytes: delivery.body))
        return await line.hasReceivedEverything(within: receiptLimit)
    }
}
