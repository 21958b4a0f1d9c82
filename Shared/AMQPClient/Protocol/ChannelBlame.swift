/// What the text of a `channel.close` says about the messages that were in flight.
enum ChannelBlame {
    /// Whose bodies are larger than the broker takes.
    case bodies(largerThan: Int)
    /// Whose exchange is missing, or may not be published to.
    case exchange(text: String)
    /// Any of them.
    case unknown

    /// Reads the broker's text, as RabbitMQ 3.10 and 4 word it.
    init(_ error: AMQPError) {
        if let limit = Self.bodyLimit(in: error.message) {
            self = .bodies(largerThan: limit)
        } else if error.message.contains("exchange '") {
            self = .exchange(text: error.message)
        } else {
            self = .unknown
        }
    }

    /// Whether the text is about this message.
    func isAbout(_ message: AMQPMessage) -> Bool {
        switch self {
        case .bodies(let limit): message.body.count > limit
        // Permissions have a name for the default exchange, which has none.
        case .exchange(let text):
            text.contains("exchange '\(message.exchange.isEmpty ? "amq.default" : message.exchange)'")
        case .unknown: false
        }
    }

    /// The number that ends "message size 17 is larger than configured max size 16".
    private static func bodyLimit(in text: String) -> Int? {
        guard text.contains("message size "), let start = text.firstRange(of: "max size ") else { return nil }
        return Int(text[start.upperBound...].prefix(while: \.isNumber))
    }
}

extension AMQPError {
    /// AMQP's code for a broker that stops, or an operator who closes a connection.
    private static let connectionForced = 320

    /// Whether the broker ended a channel or connection because of something that was sent on it.
    var blamesAMessage: Bool {
        [.connectionLost, .channelClosed].contains(code) && replyCode.map { $0 != Self.connectionForced } ?? false
    }
}
