import Foundation

extension AMQPConfiguration {
    /// Creates a configuration from a URL of the form `amqp://user:password@host:port/vhost` or `amqps://…`.
    ///
    /// Parts are percent-encoded. Omitted parts default to `guest`, `guest`, `localhost`, 5672 (5671 for `amqps`) and
    /// `/`. Query parameters are named as in RabbitMQ's own clients: `heartbeat` and `connection_timeout` in seconds,
    /// and with `amqps` also `cacertfile`, `certfile`, `keyfile` and `verify` (`verify_peer`, the default, or
    /// `verify_none`).
    ///
    /// - Throws: `.refused`, which names the invalid part. The error does not repeat the URL, because the URL contains
    ///   a password.
    package init(url: String) throws(AMQPError) {
        guard let parts = URLComponents(string: url), let scheme = parts.scheme else {
            throw AMQPError(.refused, "the AMQP URL cannot be parsed")
        }
        guard scheme == "amqp" || scheme == "amqps" else {
            throw AMQPError(.refused, "the AMQP URL's scheme is neither amqp nor amqps")
        }
        let host = parts.host ?? ""
        self.host = host.isEmpty ? "localhost" : host.trimmingCharacters(in: ["[", "]"])
        self.port = parts.port ?? (scheme == "amqps" ? 5671 : 5672)
        self.user = parts.user ?? "guest"
        self.password = parts.password ?? "guest"
        let path = parts.percentEncodedPath.dropFirst()
        guard !path.contains("/"), let virtualHost = String(path).removingPercentEncoding else {
            throw AMQPError(.refused, "the AMQP URL's virtual host must be percent-encoded")
        }
        self.virtualHost = virtualHost.isEmpty ? "/" : virtualHost
        self.tls = scheme == "amqps" ? AMQPTLS() : nil
        for item in parts.queryItems ?? [] {
            try apply(item.name, item.value ?? "")
        }
    }

    private mutating func apply(_ name: String, _ value: String) throws(AMQPError) {
        switch name {
        case "heartbeat":
            heartbeat = .seconds(try Self.seconds(value, name))
        case "connection_timeout":
            connectTimeout = .seconds(try Self.seconds(value, name))
        case "cacertfile" where tls != nil:
            tls?.authoritiesFile = value
        case "certfile" where tls != nil:
            tls?.certificateFile = value
        case "keyfile" where tls != nil:
            tls?.keyFile = value
        case "verify" where tls != nil:
            guard value == "verify_peer" || value == "verify_none" else {
                throw AMQPError(.refused, "the AMQP URL's verify parameter is neither verify_peer nor verify_none")
            }
            tls?.verifiesPeer = value == "verify_peer"
        default:
            // The error does not repeat the parameter, because it might be part of a password that contains a question
            // mark.
            throw AMQPError(.refused, "the AMQP URL has an unknown parameter, or a ? that is not percent-encoded")
        }
    }

    private static func seconds(_ value: String, _ name: String) throws(AMQPError) -> Int {
        guard let seconds = Int(value), (1...3600).contains(seconds) else {
            throw AMQPError(.refused, "the AMQP URL's \(name) is not a number of seconds from 1 to 3600")
        }
        return seconds
    }
}
