/// An exchange to declare.
package struct AMQPExchange: Sendable, Hashable {
    /// How an exchange routes messages.
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        case direct, fanout, topic, headers
    }

    package var name: String
    package var kind: Kind
    package var isDurable: Bool
    package var isAutoDelete: Bool
    package var isInternal: Bool
    package var arguments: AMQPTable

    /// Creates an exchange, durable by default.
    package init(
        name: String, kind: Kind, isDurable: Bool = true, isAutoDelete: Bool = false, isInternal: Bool = false,
        arguments: AMQPTable = [:]
    ) {
        self.name = name
        self.kind = kind
        self.isDurable = isDurable
        self.isAutoDelete = isAutoDelete
        self.isInternal = isInternal
        self.arguments = arguments
    }
}

/// A queue to declare.
package struct AMQPQueue: Sendable, Hashable {
    package var name: String
    package var isDurable: Bool
    package var isExclusive: Bool
    package var isAutoDelete: Bool
    package var arguments: AMQPTable

    /// Creates a queue, durable by default.
    package init(
        name: String, isDurable: Bool = true, isExclusive: Bool = false, isAutoDelete: Bool = false,
        arguments: AMQPTable = [:]
    ) {
        self.name = name
        self.isDurable = isDurable
        self.isExclusive = isExclusive
        self.isAutoDelete = isAutoDelete
        self.arguments = arguments
    }
}

/// A binding of a queue to an exchange.
package struct AMQPBinding: Sendable, Hashable {
    package var queue: String
    package var exchange: String
    package var routingKey: String
    package var arguments: AMQPTable

    /// Creates a binding of `queue` to `exchange` for `routingKey`, which is a pattern if the exchange is a topic
    /// exchange.
    package init(queue: String, exchange: String, routingKey: String, arguments: AMQPTable = [:]) {
        self.queue = queue
        self.exchange = exchange
        self.routingKey = routingKey
        self.arguments = arguments
    }
}

/// The exchanges, queues and bindings that a client looks up or declares first on every new connection.
package struct AMQPTopology: Sendable, Hashable {
    /// Exchanges declared by other services. They are only looked up, which requires no permission.
    package var expectedExchanges: [String]
    /// Queues declared by other services. They are only looked up.
    package var expectedQueues: [String]
    /// Exchanges to declare. Declaring requires the configure permission and is idempotent.
    package var exchanges: [AMQPExchange]
    /// Queues to declare, after the exchanges.
    package var queues: [AMQPQueue]
    /// Bindings to create, after the exchanges and queues.
    package var bindings: [AMQPBinding]

    /// Creates a topology. Its parts are looked up and declared in the order of the properties.
    package init(
        expectedExchanges: [String] = [], expectedQueues: [String] = [], exchanges: [AMQPExchange] = [],
        queues: [AMQPQueue] = [], bindings: [AMQPBinding] = []
    ) {
        self.expectedExchanges = expectedExchanges
        self.expectedQueues = expectedQueues
        self.exchanges = exchanges
        self.queues = queues
        self.bindings = bindings
    }

    /// A topology with nothing to look up or declare.
    package static let empty = AMQPTopology()
}
