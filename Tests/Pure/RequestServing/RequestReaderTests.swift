import AMQPClient
import CloudKitModel
import CloudKitWire
import RequestServing
import ServiceMessages
import Testing

struct RequestReaderTests {
    @Test(arguments: [AMQPProperties(), AMQPProperties(headers: [Header.requestID: "a\u{1B}b"])])
    func aRefusedRequestWithoutAnIDHasOneThatItsAnswerAndTheLogShare(properties: AMQPProperties) throws {
        let delivery = AMQPDelivery(
            queue: Queue.recordReads, deliveryTag: 1, exchange: Exchange.requests, routingKey: "records.lookup",
            properties: properties, body: [])
        guard case .refused(let answer, let requestID) = RequestReader(limits: Limits()).open(delivery, now: 0) else {
            Issue.record("the request was not refused")
            return
        }
        #expect(requestID.utf8.count == 36)
        #expect(try JSONValue(parsing: answer.body)["uuid"]?.string == requestID)
    }
}
