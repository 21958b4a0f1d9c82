/// The failure of a call to the broker, or of a request sent through it.
///
/// Two errors are equal if their codes are equal. `description` includes the broker's own text, which may name
/// exchanges and queues but never contains a message's content or a password.
package struct AMQPError: Error, Sendable {
    /// The kind of failure. More kinds might be added, so a `switch` must have a default.
    package struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The code as written in logs and metrics.
        package let description: String

        private init(_ description: String) {
            self.description = description
        }

        /// No connection could be established, because of the address, TLS or the handshake.
        package static let connectFailed = Code("connect_failed")
        /// The connection ended. It is unknown whether the broker received the data in flight.
        package static let connectionLost = Code("connection_lost")
        /// The broker closed the channel because of this or another message in flight. `replyCode` contains the reason.
        package static let channelClosed = Code("channel_closed")
        /// The broker closed connections or channels three times because of this message, which is not sent again.
        /// `replyCode` contains the reason.
        package static let givenUp = Code("given_up")
        /// The broker did not take responsibility for the message, for example because of `reject-publish` on a full
        /// queue.
        package static let nacked = Code("nacked")
        /// The message was mandatory and could not be routed to any queue.
        package static let returned = Code("returned")
        /// No answer arrived within the caller's time limit.
        package static let timedOut = Code("timed_out")
        /// The client has been shut down.
        package static let closed = Code("closed")
        /// The client's `run()` has not been called.
        package static let notRunning = Code("not_running")
        /// The peer sent data that AMQP does not allow in this state.
        package static let protocolViolation = Code("protocol_violation")
        /// The broker refused the request itself, or this module refused it before sending. Repeating the request
        /// cannot succeed.
        package static let refused = Code("refused")
        /// The calling task was cancelled. The request might still take effect.
        package static let cancelled = Code("cancelled")
    }

    /// The kind of failure.
    package let code: Code
    /// One sentence for operators.
    package let message: String
    /// The broker's own code (AMQP 0-9-1 1.2, for example 404), if it sent one.
    package let replyCode: Int?

    /// Creates an error.
    package init(_ code: Code, _ message: String, replyCode: Int? = nil) {
        self.code = code
        self.message = message
        self.replyCode = replyCode
    }
}

extension AMQPError {
    /// Whether the client was shut down or is not running, or the task was cancelled. Such an error says nothing about
    /// the broker or the message.
    package var isEnding: Bool { [.closed, .cancelled, .notRunning].contains(code) }
}

extension AMQPError: Equatable {
    package static func == (one: AMQPError, other: AMQPError) -> Bool {
        one.code == other.code
    }
}

extension AMQPError: CustomStringConvertible {
    package var description: String {
        let number = replyCode.map { " (\($0))" } ?? ""
        return "\(code)\(number): \(message)"
    }
}
