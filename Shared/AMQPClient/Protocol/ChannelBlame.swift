/// The messages in flight that the text of a `channel.close` blames.
enum ChannelBlame {
    /// Messages whose bodies exceed the broker's size limit, in bytes.
    case bodies(largerThan: Int)
    /// Messages to an exchange that is missing or that the user is not allowed to write to.
    case exchange(text: String)
    /// Any message, because the text does not identify the message.
    case unknown

    /// Parses the text of the broker's error, as worded by RabbitMQ 3.10 and 4.
    init(_ error: AMQPError) {
        if let limit = Self.bodyLimit(in: error.message) {
            self = .bodies(largerThan: limit)
        } else if error.message.contains("exchange '") {
            self = .exchange(text: error.message)
        } else {
            self = .unknown
        }
    }

    /// Returns whether the text refers to this message.
    func isAbout(_ message: AMQPMessage) -> Bool {
        switch self {
        case .bodies(let limit): message.body.count > limit
        // In permission errors, the default exchange, whose name is empty, is called `amq.default`.
        case .exchange(let text):
            text.contains("exchange '\(message.exchange.isEmpty ? "amq.default" : message.exchange)'")
        case .unknown: false
        }
    }

    /// Returns the limit at the end of text such as "message size 17 is larger than configured max size 16".
    private static func bodyLimit(in text: String) -> Int? {
        guard text.contains("message size "), let start = text.firstRange(of: "max size ") else { return nil }
        return Int(text[start.upperBound...].prefix(while: \.isNumber))
    }
}

extension AMQPError {
    /// AMQP's reply code when the broker shuts down or an operator closes a connection.
    private static let connectionForced = 320

    /// Whether the broker closed a channel or connection because of something sent on it.
    var blamesAMessage: Bool {
        [.connectionLost, .channelClosed].contains(code) && replyCode.map { $0 != Self.connectionForced } ?? false
    }
}
