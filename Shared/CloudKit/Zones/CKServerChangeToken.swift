public import Foundation

/// A position in the changes of a database or of a zone. It is opaque.
open class CKServerChangeToken: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
    /// The server's text.
    let syncToken: String

    init(_ syncToken: String) {
        self.syncToken = syncToken
        super.init()
    }

    @available(*, unavailable)
    public override init() { fatalError("init() is unavailable: tokens come from the server.") }

    /// Returns this object, because tokens do not change.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// Returns whether `object` is the same position.
    open override func isEqual(_ object: Any?) -> Bool { (object as? CKServerChangeToken)?.syncToken == syncToken }

    /// The hash of the position.
    open override var hash: Int { syncToken.hashValue }

    // MARK: - NSSecureCoding

    /// Whether archives may require secure coding: always.
    open class var supportsSecureCoding: Bool { true }

    /// Reads a token from an archive. Returns nil if it is not a token of Zonda.
    public required init?(coder: NSCoder) {
        guard let data = coder.optionalObject(of: NSData.self, forKey: Self.key),
            let text = String(data: Data(referencing: data), encoding: .utf8)
        else { return nil }
        syncToken = text
        super.init()
    }

    /// Writes the token to an archive.
    open func encode(with coder: NSCoder) { coder.encode(Data(syncToken.utf8) as NSData, forKey: Self.key) }

    private static let key = "ChangeTokenData"
}
