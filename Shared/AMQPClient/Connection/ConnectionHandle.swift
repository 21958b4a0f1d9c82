import CLinux
import CRabbitMQ
import Glibc

/// An open connection of the C library. It is closed and freed when the handle is released.
///
/// Not `Sendable`, because librabbitmq allows only one thread to use a connection. Here, that thread is the
/// `ConnectionThread` that runs the handle's actor. A call waits for the broker for at most the configuration's
/// `rpcTimeout`. After an error with the code `connectionLost`, `connectFailed` or `protocolViolation`, the handle can
/// only be released.
final class ConnectionHandle {
    let state: amqp_connection_state_t
    let arena = Arena()
    /// The negotiated frame size in bytes.
    let maxFrameSize: Int

    private init(state: amqp_connection_state_t) {
        self.state = state
        maxFrameSize = Int(amqp_get_frame_max(state))
    }

    deinit {
        amqp_destroy_connection(state)
    }

    /// Connects and logs in. Blocks for at most twice the configuration's `connectTimeout`, plus the time for the host
    /// name look-up.
    ///
    /// - Throws: `.connectFailed`, or `.refused` for wrong credentials or an unknown virtual host.
    static func connect(_ configuration: AMQPConfiguration) throws(AMQPError) -> ConnectionHandle {
        guard let state = amqp_new_connection() else {
            throw AMQPError(.connectFailed, "out of memory")
        }
        do throws(AMQPError) {
            let socket = try makeSocket(state, configuration)
            var timeout = timeval(configuration.connectTimeout)
            let status = amqp_socket_open_noblock(socket, configuration.host, Int32(configuration.port), &timeout)
            guard status == AMQP_STATUS_OK.rawValue else {
                throw AMQPError(.connectFailed, "\(configuration): \(text(of: status))")
            }
            amqp_set_handshake_timeout(state, &timeout)
            var rpcTimeout = timeval(configuration.rpcTimeout)
            amqp_set_rpc_timeout(state, &rpcTimeout)
            try login(state, configuration)
        } catch {
            amqp_destroy_connection(state)
            throw error
        }
        return ConnectionHandle(state: state)
    }

    private static func makeSocket(
        _ state: amqp_connection_state_t, _ configuration: AMQPConfiguration
    ) throws(AMQPError) -> OpaquePointer {
        guard let tls = configuration.tls else {
            guard let socket = amqp_tcp_socket_new(state) else {
                throw AMQPError(.connectFailed, "out of memory")
            }
            return socket
        }
        guard let socket = amqp_ssl_socket_new(state) else {
            throw AMQPError(.connectFailed, "TLS cannot be set up")
        }
        amqp_ssl_socket_set_verify_peer(socket, tls.verifiesPeer ? 1 : 0)
        amqp_ssl_socket_set_verify_hostname(socket, tls.verifiesPeer ? 1 : 0)
        guard amqp_ssl_socket_set_ssl_versions(socket, AMQP_TLSv1_2, AMQP_TLSvLATEST) == AMQP_STATUS_OK.rawValue else {
            throw AMQPError(.connectFailed, "TLS 1.2 is not available")
        }
        if tls.verifiesPeer || tls.authoritiesFile != nil {
            // The library has no function that loads the system's certificate authorities. This is their path on Debian
            // and its derivatives.
            let file = tls.authoritiesFile ?? "/etc/ssl/certs/ca-certificates.crt"
            guard amqp_ssl_socket_set_cacert(socket, file) == AMQP_STATUS_OK.rawValue else {
                throw AMQPError(.connectFailed, "the certificate authorities in \(file) cannot be loaded")
            }
        }
        if let certificate = tls.certificateFile {
            let key = tls.keyFile ?? certificate
            guard amqp_ssl_socket_set_key(socket, certificate, key) == AMQP_STATUS_OK.rawValue else {
                throw AMQPError(.connectFailed, "the certificate \(certificate) with key \(key) cannot be used")
            }
        }
        return socket
    }

    private static func login(
        _ state: amqp_connection_state_t, _ configuration: AMQPConfiguration
    ) throws(AMQPError) {
        let arena = Arena()
        // Without these capabilities, the broker reports neither cancelled consumers nor blocked publishers.
        var properties = arena.table([
            "product": "zonda",
            "connection_name": .string(configuration.connectionName),
            "capabilities": .table(["consumer_cancel_notify": true, "connection.blocked": true]),
        ])
        let reply = zonda_amqp_login(
            state, configuration.virtualHost, Int32(clamping: configuration.maxFrameSize),
            Int32(clamping: configuration.heartbeat.components.seconds), &properties, configuration.user,
            configuration.password)
        do throws(AMQPError) {
            try check(reply, "log in")
        } catch {
            let code = error.replyCode == nil ? AMQPError.Code.connectFailed : .refused
            throw AMQPError(code, "\(configuration): \(error.message)", replyCode: error.replyCode)
        }
    }

    /// The socket to wait on.
    var socket: Int32 {
        amqp_get_sockfd(state)
    }

    /// Sends `connection.close` and waits at most 2 s for the reply. Release the handle afterwards.
    func close() {
        var timeout = timeval(.seconds(2))
        amqp_set_rpc_timeout(state, &timeout)
        _ = amqp_connection_close(state, AMQP_REPLY_SUCCESS)
    }

    /// Whether the socket can accept more bytes. Costs one system call.
    var isWritable: Bool {
        var descriptor = pollfd(fd: socket, events: Int16(POLLOUT), revents: 0)
        return poll(&descriptor, 1, 0) == 1
    }

    /// Runs `body` with the socket corked, so that the library's three writes per message are sent as full segments.
    func corked<R>(_ body: () throws(AMQPError) -> R) throws(AMQPError) -> R {
        cork(true)
        defer { cork(false) }
        return try body()
    }

    private func cork(_ isCorked: Bool) {
        var value: Int32 = isCorked ? 1 : 0
        setsockopt(socket, Int32(IPPROTO_TCP), TCP_CORK, &value, socklen_t(MemoryLayout<Int32>.size))
    }
}

extension timeval {
    /// Creates a value from a duration, rounded down to microseconds.
    init(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        self.init(tv_sec: Int(seconds), tv_usec: Int(attoseconds / 1_000_000_000_000))
    }
}
