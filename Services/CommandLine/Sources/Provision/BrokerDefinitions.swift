import AMQPClient
import CloudKitWire
import Crypto
import FoundationEssentials
import ServiceMessages

/// The definitions of a broker in RabbitMQ's format (rabbitmq.com, "Definitions Export and Import"): exchanges, queues,
/// bindings, policies, and users with their rights. They can be imported repeatedly.
struct BrokerDefinitions: Sendable {
    /// A broker user.
    struct User: Sendable {
        var name: String
        var password: String
        var rights: BrokerRights
        /// Whether the user has the tag that allows it to administer the broker.
        var isAdministrator = false
    }

    /// The users of the virtual host.
    var users: [User]
    /// The virtual host.
    var virtualHost: String
    /// The limits of the notification log.
    var retention: BrokerPolicy.Retention

    /// Creates the definitions of a deployment. The operator's user has the deployment's name; a service's user is
    /// `NAME-SERVICE`.
    ///
    /// - Throws: ``ProvisionError`` if a password cannot be read.
    init(
        of deployment: String, virtualHost: String, secrets: DeploymentSecrets,
        retention: BrokerPolicy.Retention = .init()
    )
        throws(ProvisionError)
    {
        self.virtualHost = virtualHost
        self.retention = retention
        users = [
            User(
                name: deployment, password: try secrets.password(for: .amqp, of: nil), rights: .operation,
                isAdministrator: true)
        ]
        for service in ServiceName.allCases {
            users.append(
                User(
                    name: "\(deployment)-\(service.rawValue)",
                    password: try secrets.password(for: .amqp, of: service), rights: BrokerRights.of(service)))
        }
    }

    /// The definitions as JSON.
    var json: JSONValue {
        let topology = Topology.all
        return [
            "vhosts": [["name": .string(virtualHost)]],
            "users": .array(users.map(json)),
            "permissions": .array(users.map(permission)),
            "policies": .array(
                BrokerPolicy.all(retention).map { policy in
                    .object(
                        [.init("name", .string(policy.name)), .init("vhost", .string(virtualHost))]
                            + (Self.json(policy).members ?? []))
                }),
            "exchanges": .array(topology.exchanges.map(json)),
            "queues": .array(topology.queues.map(json)),
            "bindings": .array(topology.bindings.map(json)),
        ]
    }

    private func json(_ user: User) -> JSONValue {
        [
            "name": .string(user.name), "password_hash": .string(Self.hash(user.password, of: user.name)),
            "hashing_algorithm": "rabbit_password_hashing_sha256",
            "tags": .string(user.isAdministrator ? "administrator" : ""),
        ]
    }

    private func permission(_ user: User) -> JSONValue {
        [
            "user": .string(user.name), "vhost": .string(virtualHost),
            "configure": .string(user.rights.configure.pattern), "write": .string(user.rights.write.pattern),
            "read": .string(user.rights.read.pattern),
        ]
    }

    private func json(_ exchange: AMQPExchange) -> JSONValue {
        [
            "name": .string(exchange.name), "vhost": .string(virtualHost), "type": .string(exchange.kind.rawValue),
            "durable": .bool(exchange.isDurable), "auto_delete": .bool(exchange.isAutoDelete),
            "internal": .bool(exchange.isInternal), "arguments": Self.json(exchange.arguments),
        ]
    }

    private func json(_ queue: AMQPQueue) -> JSONValue {
        [
            "name": .string(queue.name), "vhost": .string(virtualHost), "durable": .bool(queue.isDurable),
            "auto_delete": .bool(queue.isAutoDelete), "arguments": Self.json(queue.arguments),
        ]
    }

    private func json(_ binding: AMQPBinding) -> JSONValue {
        [
            "source": .string(binding.exchange), "vhost": .string(virtualHost),
            "destination": .string(binding.queue), "destination_type": "queue",
            "routing_key": .string(binding.routingKey), "arguments": Self.json(binding.arguments),
        ]
    }

    /// Returns a policy as JSON, without its name and virtual host.
    static func json(_ policy: BrokerPolicy) -> JSONValue {
        [
            "pattern": .string(policy.pattern), "definition": json(policy.definition), "priority": 10,
            "apply-to": "queues",
        ]
    }

    private static func json(_ arguments: AMQPTable) -> JSONValue {
        .object(
            arguments.map { argument in
                let value: JSONValue =
                    switch argument.value {
                    case .bool(let value): .bool(value)
                    case .int64(let value): .int(value)
                    case .string(let value): .string(value)
                    default: .null
                    }
                return JSONValue.Member(argument.key, value)
            })
    }

    /// Returns RabbitMQ's salted SHA-256 hash of a password (rabbitmq.com, "Passwords"). The salt is derived from the
    /// user and the password, so that the definitions are reproducible.
    static func hash(_ password: String, of user: String) -> String {
        let salt = Array(SHA256.hash(data: Array("\(user):\(password)".utf8)).prefix(4))
        return Data(salt + Array(SHA256.hash(data: salt + Array(password.utf8)))).base64EncodedString()
    }
}
