package import CloudKitModel
package import ServiceMessages

/// `subscriptions.test`: publishes a notification as if a subscription had fired.
package struct SubscriptionsTestRequest: OperatorRequest {
    package static let operation = ServiceMessages.Operation.subscriptionsTest

    /// The container.
    package var container: String
    /// The name of the environment.
    package var environment: String
    /// The database.
    package var database: DatabaseScope
    /// The record name of the user. The service refuses a request without a user.
    package var user: String?
    /// The id of the subscription.
    package var subscriptionID: String

    /// Creates a request.
    package init(
        container: String, environment: String, database: DatabaseScope, user: String?, subscriptionID: String
    ) {
        self.container = container
        self.environment = environment
        self.database = database
        self.user = user
        self.subscriptionID = subscriptionID
    }

    /// The notification and its recipients.
    package struct Answer: Codable, Sendable {
        /// The id of the message.
        package var id: String
        /// The id of the notification.
        package var nid: String
        /// The exchange to which the notification was published.
        package var exchange: String
        /// The notification's routing key.
        package var routingKey: String
        /// Whether the broker accepted the notification.
        package var routed: Bool
        /// The error code if the broker did not accept the notification; otherwise nil.
        package var error: String?
        /// The registered clients to which the notification was sent.
        package var clients: [Client]

        /// Creates an answer.
        package init(
            id: String, nid: String, exchange: String, routingKey: String, routed: Bool, error: String?,
            clients: [Client]
        ) {
            self.id = id
            self.nid = nid
            self.exchange = exchange
            self.routingKey = routingKey
            self.routed = routed
            self.error = error
            self.clients = clients
        }
    }

    /// A registered client.
    package struct Client: Codable, Sendable {
        /// The name of the client's queue.
        package var name: String
        /// The name that the client chose for itself.
        package var clientId: String?

        /// Creates a client.
        package init(name: String, clientId: String?) {
            self.name = name
            self.clientId = clientId
        }
    }
}
