internal import CloudKitModel

/// The name of a subscription, unique among its user's in a database.
struct SubscriptionID: KeyName {
    /// The ID as it is on the wire and in storage.
    let rawValue: String

    /// Takes an ID that was checked before, such as one read from storage.
    init(unchecked name: String) { rawValue = name }
}
