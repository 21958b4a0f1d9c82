/// The permissions of a broker user, as RabbitMQ defines them: `configure` covers declaring and deleting, `write`
/// covers publishing and binding a queue, `read` covers consuming and binding to an exchange (rabbitmq.com, "Access
/// Control").
///
/// A service has only the permissions that it uses. One gap remains: replies are published to the default exchange, and
/// a user that is allowed to publish to this exchange can publish to every queue.
package struct BrokerRights: Sendable, Hashable {
    /// A set of exchange and queue names.
    package struct Resources: Sendable, Hashable {
        /// Names that match exactly.
        package var names: [String] = []
        /// Prefixes. Every name that begins with one of them also matches.
        package var prefixes: [String] = []
        private var isEverything = false

        /// No names.
        package static let none = Resources()
        /// All names in the virtual host.
        package static let all = Resources(isEverything: true)

        private init(names: [String] = [], prefixes: [String] = [], isEverything: Bool = false) {
            (self.names, self.prefixes, self.isEverything) = (names, prefixes, isEverything)
        }

        /// Creates the set of the given names and of all names that begin with one of the prefixes.
        package init(_ names: [String], prefixes: [String] = []) {
            self.init(names: names, prefixes: prefixes, isEverything: false)
        }

        /// The set as a regular expression for RabbitMQ's permissions.
        package var pattern: String {
            if isEverything { return ".*" }
            let alternatives = names.map { Self.escaped($0) + "$" } + prefixes.map(Self.escaped)
            return alternatives.isEmpty ? "^$" : "^(\(alternatives.joined(separator: "|")))"
        }

        /// Escapes a name for a regular expression. Names contain only letters, digits, `-`, `_` and `.`; only `.` must
        /// be escaped.
        private static func escaped(_ name: String) -> String {
            name.split(separator: ".", omittingEmptySubsequences: false).joined(separator: "\\.")
        }
    }

    /// The default exchange's name in permissions.
    package static let defaultExchange = "amq.default"

    /// The exchanges and queues that may be declared and deleted.
    package var configure: Resources
    /// The exchanges to which messages may be published, and the queues that may be bound.
    package var write: Resources
    /// The queues that may be consumed and the exchanges to which queues may be bound.
    package var read: Resources

    /// All permissions, for the operator of the deployment.
    package static let operation = BrokerRights(configure: .all, write: .all, read: .all)

    /// Returns the permissions of a consumer that was granted zones. It may declare and consume its own queues, bind
    /// them to the notifications exchange, and send ``Operation/notificationsReplay``. Topic permissions restrict the
    /// bindings (``ConsumerGrant/bindingPattern``). Answers arrive through direct reply-to, which requires no
    /// permission.
    package static func of(_ consumer: ConsumerName) -> BrokerRights {
        let own = [consumer.queuePrefix]
        return BrokerRights(
            configure: Resources([], prefixes: own), write: Resources([Exchange.consumers], prefixes: own),
            read: Resources([Exchange.notifications], prefixes: own))
    }

    /// Returns the permissions that a service needs.
    package static func of(_ service: ServiceName) -> BrokerRights {
        // Answers are published to the default exchange, and requests that cannot be answered are dead-lettered.
        let replies = [defaultExchange, Exchange.dead]
        let queues = Queue.consumed(by: service)
        switch service {
        case .record:
            return BrokerRights(
                configure: .none, write: Resources(replies + [Exchange.changes, Exchange.delay]),
                read: Resources(queues))
        case .asset:
            let waits = [Queue.waits(for: Queue.assetJobs)]
            return BrokerRights(
                configure: Resources([], prefixes: waits),
                write: Resources(replies + [Exchange.internal, Exchange.delay], prefixes: waits),
                // Binding a wait queue requires read permission on the exchange. Dead-lettering from the wait queue
                // requires read permission on that queue.
                read: Resources(queues + [Exchange.delay], prefixes: waits))
        case .subscription:
            return BrokerRights(
                // The service declares a client's queue and binds it to the notifications exchange. The queue
                // dead-letters the messages for which it has no room.
                configure: Resources([], prefixes: [Queue.clients]),
                write: Resources(
                    replies + [Exchange.internal, Exchange.notifications, Exchange.drops], prefixes: [Queue.clients]),
                read: Resources(queues + [Exchange.notifications, Queue.notificationsLog], prefixes: [Queue.clients]))
        case .gateway:
            // The gateway forwards users' requests, reads clients' queues, and requests that clients be forgotten when
            // their session ends.
            return BrokerRights(
                configure: .none, write: Resources(replies + [Exchange.requests, Exchange.internal]),
                read: Resources(queues, prefixes: [Queue.clients]))
        }
    }
}
