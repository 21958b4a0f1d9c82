internal import HTTPTypes

extension HTTPField.Name {
    /// Always 1.0.
    static let cloudKitVersion = Self("X-Apple-CloudKit-Version")!
    /// The next web auth token (web-services 4.3).
    static let webAuthToken = Self("X-Apple-CloudKit-Web-Auth-Token")!
    /// The same under its old name.
    static let webAuthSession = Self("X-Apple-CloudKit-Session")!
    /// By which a repeat is known: the `message-id` of what the request becomes.
    static let idempotencyKey = Self("Idempotency-Key")!
}
