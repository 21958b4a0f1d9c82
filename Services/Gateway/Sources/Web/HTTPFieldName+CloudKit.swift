internal import HTTPTypes

extension HTTPField.Name {
    /// The version of the protocol, always 1.0.
    static let cloudKitVersion = Self("X-Apple-CloudKit-Version")!
    /// The next web auth token (web-services 4.3).
    static let webAuthToken = Self("X-Apple-CloudKit-Web-Auth-Token")!
    /// The same token, in a header with an older name.
    static let webAuthSession = Self("X-Apple-CloudKit-Session")!
    /// The identifier of a write and its repeats. It becomes the `message-id` of the message to the service.
    static let idempotencyKey = Self("Idempotency-Key")!
}
