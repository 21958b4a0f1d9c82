/// An exchange to declare.
package struct AMQPExchange: Sendable, Hashable {
    /// How an exchange routes.
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        case direct, fanout, topic, headers
    }

    package var name: String
    package var kind: Kind
    package var isDurable: Bool
    package var isAutoDelete: Bool
    package var isInternal: Bool
    package var arguments: AMQPTable

    /// An exchange, durable unless said otherwise.
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

    /// A queue, durable unless said otherwise.
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

    /// A binding of `queue` to `exchange` for `routingKey` (a pattern on topic exchanges).
    package init(queue: String, exchange: String, routingKey: String, arguments: AMQPTable = [:]) {
        self.queue = queue
        self.exchange = exchange
        self.routingKey = routingKey
        self.arguments = arguments
    }
}

/// What a client wants to find, or declares, on every new connection before it does anything else.
package struct AMQPTopology: Sendable, Hashable {
    /// Exchanges that somebody else has declared. Looking them up needs no right.
    package var expectedExchanges: [String]
    /// Queues that somebody else has declared.
    package var expectedQueues: [String]
    /// Declared idempotently, which needs the right to configure them.
    package var exchanges: [AMQPExchange]
    /// Declared after the exchanges.
    package var queues: [AMQPQueue]
    /// Made last.
    package var bindings: [AMQPBinding]

    /// Looked up and declared in the order of the properties.
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

    /// Nothing to find or declare.
    package static let empty = AMQPTopology()
}
