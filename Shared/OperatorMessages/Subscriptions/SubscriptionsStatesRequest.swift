package import CloudKitModel
package import CloudKitWire
package import ServiceMessages

/// `subscriptions.states`: lists the subscriptions of all users with their delivery statistics, ordered by container,
/// environment, database, user and id.
package struct SubscriptionsStatesRequest: OperatorRequest {
    package static let operation = ServiceMessages.Operation.subscriptionsStates

    /// The container; nil for all.
    package var container: String?
    /// The name of the environment; nil for all.
    package var environment: String?
    /// The database; nil for all.
    package var database: DatabaseScope?
    /// The record name of the user; nil for all.
    package var user: String?
    /// The id of the subscription; nil for all.
    package var subscriptionID: String?
    /// The maximum number of subscriptions; nil means 200. The service clamps it to the range from 1 to 1,000.
    package var limit: Int?
    /// The `after` of the preceding page; nil for the first page.
    package var after: String?

    /// Creates a request for the first page.
    package init(
        container: String?, environment: String? = nil, database: DatabaseScope? = nil, user: String? = nil,
        subscriptionID: String? = nil
    ) {
        self.container = container
        self.environment = environment
        self.database = database
        self.user = user
        self.subscriptionID = subscriptionID
    }

    /// A page of subscriptions.
    package struct Answer: Codable, Sendable {
        /// The subscriptions.
        package var subscriptions: [SubscriptionDescription]
        /// The position at which the next page begins; nil for the last page.
        package var after: String?

        /// Creates an answer.
        package init(subscriptions: [SubscriptionDescription], after: String?) {
            self.subscriptions = subscriptions
            self.after = after
        }
    }
}

/// A subscription with its delivery statistics.
package struct SubscriptionDescription: Codable, Sendable {
    /// Delivery statistics. Times are in milliseconds since 1970.
    package struct State: Codable, Sendable {
        /// Whether the subscription can fire; false until the reply to its save has been sent.
        package var isActive: Bool
        /// The number of notifications that the broker accepted.
        package var delivered: Int64
        /// The number of notifications that the broker refused.
        package var refused: Int64
        /// The number of the last change for which a notification was sent.
        package var lastSeq: Int64?
        /// The zone in which the last change was made.
        package var lastZone: String?
        /// The time of the last notification.
        package var lastAt: Int64?
        /// The time between the commit of the last change and its notification, in milliseconds.
        package var lastLag: Int64?
        /// The last error.
        package var lastError: String?
        /// The time of the last error.
        package var lastErrorAt: Int64?

        /// Creates delivery statistics.
        package init(
            isActive: Bool, delivered: Int64, refused: Int64, lastSeq: Int64?, lastZone: String?, lastAt: Int64?,
            lastLag: Int64?, lastError: String?, lastErrorAt: Int64?
        ) {
            self.isActive = isActive
            self.delivered = delivered
            self.refused = refused
            self.lastSeq = lastSeq
            self.lastZone = lastZone
            self.lastAt = lastAt
            self.lastLag = lastLag
            self.lastError = lastError
            self.lastErrorAt = lastErrorAt
        }
    }

    /// The container.
    package var container: String
    /// `development` or `production`.
    package var environment: String
    /// `public`, `private` or `shared`.
    package var database: String
    /// The record name of the user.
    package var user: String
    /// The subscription, in the form in which clients save it.
    package var subscription: JSONValue
    /// The delivery statistics.
    package var state: State

    /// Creates a subscription.
    package init(
        container: String, environment: String, database: String, user: String, subscription: JSONValue, state: State
    ) {
        self.container = container
        self.environment = environment
        self.database = database
        self.user = user
        self.subscription = subscription
        self.state = state
    }
}
