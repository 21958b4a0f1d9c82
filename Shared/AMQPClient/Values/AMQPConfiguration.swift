/// The broker's address and credentials, and limits on waiting times and sizes.
package struct AMQPConfiguration: Sendable {
    /// The host name or IP address, without brackets.
    package var host: String
    /// The TCP port; by default 5672, or 5671 with TLS.
    package var port: Int
    /// The virtual host.
    package var virtualHost: String
    /// The user name.
    package var user: String
    /// The user's password. It is not part of ``description``.
    package var password: String
    /// TLS settings; nil for plain TCP.
    package var tls: AMQPTLS?
    /// The connection's name in the broker's list of connections.
    package var connectionName = "zonda"
    /// The heartbeat interval, at least 1 s, or zero for no heartbeats. A peer that is silent for two intervals is
    /// considered lost.
    package var heartbeat: Duration = .seconds(10)
    /// The maximum wait for the TCP connection and, separately, for the handshake.
    package var connectTimeout: Duration = .seconds(5)
    /// The maximum wait for the reply to a declaration or another synchronous method.
    package var rpcTimeout: Duration = .seconds(20)
    /// The maximum size of a frame in bytes, from 4,096 to 131,072. A header table must fit into one frame.
    package var maxFrameSize = 16_384
    /// The maximum size of a published body in bytes. Larger bodies are refused before they are sent. Must not exceed
    /// the broker's `max_message_size`, because the broker closes the channel if a body is larger. The default is the
    /// same as in RabbitMQ 4.
    package var maxMessageBytes = Self.defaultMaxMessageBytes
    /// The delay before the first reconnection attempt. It doubles with each attempt, with jitter.
    package var minReconnectDelay: Duration = .milliseconds(100)
    /// The maximum delay between connection attempts.
    package var maxReconnectDelay: Duration = .seconds(5)
    /// The maximum time that a graceful shutdown waits for confirms or acknowledgements.
    package var closeTimeout: Duration = .seconds(10)

    /// RabbitMQ 4's default `max_message_size` in bytes, which applies to bodies.
    package static let defaultMaxMessageBytes = 16 << 20
    /// The difference between ``maxMessageBytes`` and ``maxAnswerBytes`` in bytes. This leaves room for the headers,
    /// because some brokers or plugins might count them too.
    private static let headerRoom = 64 << 10

    /// The maximum size of a reply's body in bytes.
    package var maxAnswerBytes: Int { maxMessageBytes - Self.headerRoom }
}

/// TLS settings: the client's certificate and the trusted authorities.
package struct AMQPTLS: Sendable {
    /// The path of a PEM file with the trusted certificate authorities; nil for the system's authorities.
    package var authoritiesFile: String?
    /// The path of a PEM file with the client's own certificate, if the broker requires one.
    package var certificateFile: String?
    /// The path of a PEM file with the private key of the client's certificate; nil if the key is in
    /// ``certificateFile``.
    package var keyFile: String?
    /// Whether to verify the broker's certificate and host name.
    package var verifiesPeer: Bool

    /// Creates TLS settings that verify the broker by default.
    package init(
        authoritiesFile: String? = nil, certificateFile: String? = nil, keyFile: String? = nil,
        verifiesPeer: Bool = true
    ) {
        self.authoritiesFile = authoritiesFile
        self.certificateFile = certificateFile
        self.keyFile = keyFile
        self.verifiesPeer = verifiesPeer
    }
}

extension AMQPConfiguration: CustomStringConvertible {
    package var description: String {
        "\(tls == nil ? "amqp" : "amqps")://\(user)@\(host):\(port)/\(virtualHost)"
    }
}
