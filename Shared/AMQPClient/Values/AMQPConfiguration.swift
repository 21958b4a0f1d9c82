/// The broker's address and credentials, and the limit of every wait.
package struct AMQPConfiguration: Sendable {
    /// Host name or address, without brackets.
    package var host: String
    /// TCP port: 5672, or 5671 with TLS, unless the URL names one.
    package var port: Int
    /// The virtual host.
    package var virtualHost: String
    /// The user name.
    package var user: String
    /// The user's password. Secret: it appears in no description.
    package var password: String
    /// TLS settings; nil for plain TCP.
    package var tls: AMQPTLS?
    /// The connection's name in the broker's list of connections.
    package var connectionName = "zonda"
    /// The heartbeat interval, at least 1 s. A peer that is silent for two intervals is considered lost.
    package var heartbeat: Duration = .seconds(10)
    /// The maximum wait for the TCP connection, and again for the handshake.
    package var connectTimeout: Duration = .seconds(5)
    /// The maximum wait for the reply to a declaration or another synchronous method.
    package var rpcTimeout: Duration = .seconds(20)
    /// The largest frame in bytes, 4,096 to 131,072. A header table must fit into one frame.
    package var maxFrameSize = 131_072
    /// The largest body in bytes that is published; larger ones are refused before they are sent. Must not exceed the
    /// broker's `max_message_size`, above which the broker closes the channel. The default is that of RabbitMQ 4.
    package var maxMessageBytes = Self.defaultMaxMessageBytes
    /// The delay before the first reconnection attempt. It doubles with each attempt, with jitter.
    package var minReconnectDelay: Duration = .milliseconds(100)
    /// The maximum delay between connection attempts.
    package var maxReconnectDelay: Duration = .seconds(5)
    /// How long a graceful shutdown waits for confirms or acknowledgements.
    package var closeTimeout: Duration = .seconds(10)

    /// RabbitMQ 4's default `max_message_size` in bytes, which applies to bodies.
    package static let defaultMaxMessageBytes = 16 << 20
    /// The bytes that replies leave unused below ``maxMessageBytes``, for brokers and plugins that also count a
    /// message's headers.
    private static let headerRoom = 64 << 10

    /// The largest body in bytes that a reply may have.
    package var maxAnswerBytes: Int { maxMessageBytes - Self.headerRoom }
}

/// TLS settings: the client's certificate and the trusted authorities.
package struct AMQPTLS: Sendable {
    /// PEM file of the trusted certificate authorities; nil for the system's.
    package var authoritiesFile: String?
    /// PEM file of the client's own certificate, if the broker requires one.
    package var certificateFile: String?
    /// PEM file of the private key of the client's certificate.
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
