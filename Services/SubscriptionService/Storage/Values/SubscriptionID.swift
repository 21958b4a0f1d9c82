internal import CloudKitModel

/// The name of a subscription, unique among its user's subscriptions in a database.
package struct SubscriptionID: KeyName {
    /// The ID as it is sent and stored.
    package let rawValue: String

    /// Creates an ID from a checked name, such as one read from storage.
    package init(unchecked name: String) { rawValue = name }
}
