public import Foundation

/// The identifier of a notification: `CKNotification.ID`.
open class CKNotificationID: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
    let text: String

    init(_ text: String) { self.text = text }

    /// Creates an identifier from an archive.
    public required init?(coder: NSCoder) {
        guard let text = coder.decodeObject(of: NSString.self, forKey: Self.key) as String? else { return nil }
        self.text = text
    }

    private static let key = "NotificationUUID"

    /// Whether the class supports secure coding.
    public static var supportsSecureCoding: Bool { true }

    /// Encodes the identifier.
    open func encode(with coder: NSCoder) { coder.encode(text as NSString, forKey: Self.key) }

    /// Returns the identifier itself, because it is immutable.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// Returns whether the other object is the same identifier.
    open override func isEqual(_ object: Any?) -> Bool { (object as? CKNotificationID)?.text == text }

    /// A hash of the identifier.
    open override var hash: Int { text.hashValue }

    /// The identifier as text.
    open override var description: String { text }
}
