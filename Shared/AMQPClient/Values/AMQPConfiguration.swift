/// How to reach the broker, and the limits of every wait.
package struct AMQPConfiguration: Sendable {
    /// Host name or address, without brackets.
    package var host: String
    /// TCP port: 5672, or 5671 with TLS, unless the URL names one.
    package var port: Int
    /// The virtual host.
    package var virtualHost: String
    /// The user to log in as.
    package var user: String
    /// The user's password. Secret: it appears in no description.
    package var password: String
    /// Encryption; nil is plain TCP.
    package var tls: AMQPTLS?
    /// The name operators see in the broker's list of connections.
    package var connectionName = "zonda"
    /// How often each side shows that it lives; a peer silent for two of them counts as gone. At least 1 s.
    package var heartbeat: Duration = .seconds(10)
    /// The longest wait for the TCP connection, and again for the handshake.
    package var connectTimeout: Duration = .seconds(5)
    /// The longest wait for the answer to a declaration or another synchronous method.
    package var rpcTimeout: Duration = .seconds(20)
    /// The largest frame in bytes, 4,096 to 131,072; a header table has to fit into one.
    package var maxFrameSize = 131_072
    /// The largest body in bytes that is published; a larger one is refused before it is sent. Not above the broker's
    /// `max_message_size`, past which it closes the channel. The default is that of RabbitMQ 4.
    package var maxMessageBytes = Self.defaultMaxMessageBytes
    /// The wait before the first attempt to connect again; doubled each time, with jitter.
    package var minReconnectDelay: Duration = .milliseconds(100)
    /// The longest wait between attempts to connect.
    package var maxReconnectDelay: Duration = .seconds(5)
    /// How long a graceful shutdown waits for confirms or acknowledgements.
    package var closeTimeout: Duration = .seconds(10)

    /// RabbitMQ 4's default `max_message_size`, which counts bodies.
    package static let defaultMaxMessageBytes = 16 << 20
    /// What an answer leaves free below ``maxMessageBytes``, for brokers and plugins that count a message's headers too.
    private static let headerRoom = 64 << 10

    /// The largest body in bytes that an answer may have.
    package var maxAnswerBytes: Int { maxMessageBytes - Self.headerRoom }
}

/// How a connection is encrypted and who is trusted.
package struct AMQPTLS: Sendable {
    /// PEM file of the authorities to trust; nil means the system's.
    package var authoritiesFile: String?
    /// PEM file of our own certificate, when the broker asks for one.
    package var certificateFile: String?
    /// PEM file of the certificate's key.
    package var keyFile: String?
    /// Whether the broker's certificate and its host name must be good.
    package var verifiesPeer: Bool

    /// Encryption that verifies the broker unless told otherwise.
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
