internal import AMQPClient
internal import CoreMetrics
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import ServiceRuntime

/// Answers a request with one notification, as soon as one arrives.
///
/// A notification is acknowledged to the broker when the client's host has received the response. If the client
/// disconnects before that, the notification returns to its position in the queue. A notification is therefore
/// delivered at least once. It is delivered twice only if the connection to the broker is lost between receipt and
/// acknowledgement. It is unknown whether the client has processed the response, because the protocol has no
/// acknowledgement.
struct LongPoll: Sendable {
    /// The time within which a client's host must receive a response.
    private static let receiptLimit = Duration.seconds(10)

    /// The maximum wait for a notification.
    let wait: Duration
    let metrics: CourierMetrics

    /// Returns the notification. If none arrived in time, or the client has disconnected, the response is `null`, which
    /// CloudKit JS ignores.
    func response(_ reading: AMQPReading, _ connection: ClientConnection, _ permit: CourierPermit) async -> Response {
        let timer = connection.schedule(in: wait) { reading.stop() }
        connection.whenOver { reading.stop() }
        permit.attach(reading)
        let delivery = await reading.next()?.first
        permit.detach()
        connection.whenOver(nil)
        timer.cancel()
        // The next notification belongs to the next poll, which might arrive before this response is received.
        reading.stop()
        let headers: HTTPFields = [.contentType: "application/json; charset=UTF-8"]
        guard let delivery else {
            return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: "null")))
        }
        let body = ResponseBody(contentLength: delivery.body.count) { [metrics] writer in
            defer { reading.end() }
            let isReceived = try await Self.send(delivery, to: &writer, connection)
            if isReceived {
                reading.acknowledge([delivery])
                metrics.delivered[.poll].increment()
            } else {
                metrics.returned[.poll].increment()
            }
            try await writer.finish(nil)
            withExtendedLifetime(permit) {}
        }
        return Response(status: .ok, headers: headers, body: body)
    }

    /// Sends the notification, and returns whether the client's host has received it. The client might receive the
    /// complete response even before the writer finishes it.
    @concurrent private static func send(
        _ delivery: AMQPDelivery, to writer: inout any ResponseBodyWriter, _ connection: ClientConnection
    ) async throws -> Bool {
        try await writer.write(ByteBuffer(bytes: delivery.body))
        return await connection.hasReceivedEverything(within: receiptLimit)
    }
}
