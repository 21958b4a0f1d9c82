/// Why a call to the broker, or through it, did not succeed.
///
/// Two errors are equal when their codes are. `description` carries the broker's own text, which names exchanges and
/// queues but never a message's content or a password.
package struct AMQPError: Error, Sendable {
    /// The kind of failure; more may be added, so switch over it with a default.
    package struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The code as it is written in logs and metrics.
        package let description: String

        private init(_ description: String) {
            self.description = description
        }

        /// No connection could be made: address, TLS or handshake.
        package static let connectFailed = Code("connect_failed")
        /// The connection ended; whether the broker received what was under way is unknown.
        package static let connectionLost = Code("connection_lost")
        /// The broker closed the channel because of this or another message in flight; `replyCode` tells why.
        package static let channelClosed = Code("channel_closed")
        /// The broker ended connections or channels for this message, three times; it is not sent again. `replyCode` tells why.
        package static let givenUp = Code("given_up")
        /// The broker did not take responsibility for the message (for example `reject-publish` on a full queue).
        package static let nacked = Code("nacked")
        /// The message was mandatory and no queue was bound for its routing key.
        package static let returned = Code("returned")
        /// No answer within the time that the caller gave.
        package static let timedOut = Code("timed_out")
        /// The client has been shut down.
        package static let closed = Code("closed")
        /// The client's `run()` was never started.
        package static let notRunning = Code("not_running")
        /// The peer sent what AMQP does not allow here.
        package static let protocolViolation = Code("protocol_violation")
        /// The broker, or this module before sending, refuses the request as such: repeating it cannot help.
        package static let refused = Code("refused")
        /// The calling task was cancelled; what was handed over may still take effect.
        package static let cancelled = Code("cancelled")
    }

    /// The kind of failure.
    package let code: Code
    /// One sentence for operators.
    package let message: String
    /// The broker's own code (AMQP 0-9-1 1.2, for example 404), when it gave one.
    package let replyCode: Int?

    /// Describes a failure.
    package init(_ code: Code, _ message: String, replyCode: Int? = nil) {
        self.code = code
        self.message = message
        self.replyCode = replyCode
    }
}

extension AMQPError {
    /// Whether it is our own end, and says nothing about the broker or the message: the client was shut down before it
    /// could ask, was never started, or the task was cancelled.
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
