/// What a broker user may do, as RabbitMQ sees it: `configure` is to declare and delete, `write` to publish and to bind a
/// queue, `read` to consume and to bind to an exchange (rabbitmq.com, "Access Control").
///
/// A service may do what it does and no more. What no right can hold back: replies go through the default exchange,
/// and who may publish there reaches every queue by its name.
package struct BrokerRights: Sendable, Hashable {
    /// Names of exchanges and queues.
    package struct Resources: Sendable, Hashable {
        /// Exactly these.
        package var names: [String] = []
        /// And all that begin so.
        package var prefixes: [String] = []
        private var isEverything = false

        /// Nothing.
        package static let none = Resources()
        /// Everything in the virtual host.
        package static let all = Resources(isEverything: true)

        private init(names: [String] = [], prefixes: [String] = [], isEverything: Bool = false) {
            (self.names, self.prefixes, self.isEverything) = (names, prefixes, isEverything)
        }

        /// These names, and those that begin with one of the prefixes.
        package init(_ names: [String], prefixes: [String] = []) {
            self.init(names: names, prefixes: prefixes, isEverything: false)
        }

        /// As RabbitMQ's permissions spell it.
        package var pattern: String {
            if isEverything { return ".*" }
            let alternatives = names.map { Self.escaped($0) + "$" } + prefixes.map(Self.escaped)
            return alternatives.isEmpty ? "^$" : "^(\(alternatives.joined(separator: "|")))"
        }

        /// The names have letters, digits, `-`, and `.`, of which only the last means something else.
        private static func escaped(_ name: String) -> String {
            name.split(separator: ".", omittingEmptySubsequences: false).joined(separator: "\\.")
        }
    }

    /// The default exchange's name in permissions.
    package static let defaultExchange = "amq.default"

    /// What may be declared and deleted.
    package var configure: Resources
    /// What may be published to, and which queues bound.
    package var write: Resources
    /// What may be consumed, and to which exchanges may be bound.
    package var read: Resources

    /// Everything: whoever operates the deployment.
    package static let operation = BrokerRights(configure: .all, write: .all, read: .all)

    /// A consumer's, who was granted zones: queues of its own, bound to notifications as far as topic permissions let it
    /// (``ConsumerGrant/bindingPattern``), and ``Operation/notificationsReplay``. Answers come by direct reply-to, which
    /// needs no right.
    package static func of(_ consumer: ConsumerName) -> BrokerRights {
        let own = [consumer.queuePrefix]
        return BrokerRights(
            configure: Resources([], prefixes: own), write: Resources([Exchange.consumers], prefixes: own),
            read: Resources([Exchange.notifications], prefixes: own))
    }

    /// What a service needs.
    package static func of(_ service: ServiceName) -> BrokerRights {
        // Answers go through the default exchange, and what cannot be answered to the dead letters.
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
                // To bind a wait queue takes reading the exchange, to dead-letter from it reading the queue.
                read: Resources(queues + [Exchange.delay], prefixes: waits))
        case .subscription:
            return BrokerRights(
                // A client's queue is declared, bound to the notifications, and dead-letters what it has no room for.
                configure: Resources([], prefixes: [Queue.clients]),
                write: Resources(
                    replies + [Exchange.internal, Exchange.notifications, Exchange.drops], prefixes: [Queue.clients]),
                read: Resources(queues + [Exchange.notifications, Queue.notificationsLog], prefixes: [Queue.clients]))
        case .gateway:
            // It asks what users ask, reads what clients wait for, and has them forgotten when their sign-in ends.
            return BrokerRights(
                configure: .none, write: Resources(replies + [Exchange.requests, Exchange.internal]),
                read: Resources(queues, prefixes: [Queue.clients]))
        }
    }
}
