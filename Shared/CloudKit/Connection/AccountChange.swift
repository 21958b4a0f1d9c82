extension NSNotification.Name {
    /// Posted when a user signs in or out, or another user signs in. It can be posted on any thread.
    public static let CKAccountChanged = NSNotification.Name("CKAccountChanged")
}

/// Posts `CKAccountChanged` in this process.
enum AccountChange {
    /// Posts `CKAccountChanged`.
    @Sendable
    static func post() { NotificationCenter.default.post(name: .CKAccountChanged, object: nil) }
}
