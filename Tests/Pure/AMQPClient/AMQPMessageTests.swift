import Testing

@testable import AMQPClient

@Suite struct AMQPMessageTests {
    @Test func namesOfUpTo255BytesAreGood() throws {
        let name = String(repeating: "x", count: 255)
        try AMQPMessage(
            exchange: name, routingKey: name, properties: AMQPProperties(messageID: name, headers: [name: "v"]),
            body: []
        ).validate(for: try configuration())
    }

    @Test func whatCannotBeEncodedIsRefused() {
        let name = String(repeating: "ü", count: 128)
        let messages = [
            AMQPMessage(exchange: name, routingKey: "", body: []),
            AMQPMessage(exchange: "", routingKey: name, body: []),
            AMQPMessage(exchange: "", routingKey: "", properties: AMQPProperties(expiration: name), body: []),
            AMQPMessage(exchange: "", routingKey: "", properties: AMQPProperties(headers: [name: 1]), body: []),
            AMQPMessage(
                exchange: "", routingKey: "",
                properties: AMQPProperties(headers: ["a": .array([.table([name: 1])])]), body: []),
            AMQPMessage(
                exchange: "", routingKey: "",
                properties: AMQPProperties(headers: ["h": .bytes([UInt8](repeating: 0, count: 131_072))]), body: []),
        ]
        for message in messages {
            #expect(throws: AMQPError(.refused, "")) { try message.validate(for: try configuration()) }
        }
    }

    @Test func bodyOfTheLargestSizeIsGoodAndALargerOneIsRefused() throws {
        var configuration = try configuration()
        configuration.maxMessageBytes = 1000
        func message(_ count: Int) -> AMQPMessage {
            AMQPMessage(exchange: "", routingKey: "q", body: [UInt8](repeating: 0, count: count))
        }
        try message(1000).validate(for: configuration)
        #expect(throws: AMQPError(.refused, "")) { try message(1001).validate(for: configuration) }
    }

    @Test func deliveryCountIsReadFromTheHeader() {
        var delivery = AMQPDelivery(queue: "q", deliveryTag: 1, body: [])
        #expect(delivery.deliveryCount == 0)
        delivery.properties.headers["x-delivery-count"] = 3
        #expect(delivery.deliveryCount == 3)
    }

    private func configuration() throws -> AMQPConfiguration { try AMQPConfiguration(url: "amqp://localhost") }
}
