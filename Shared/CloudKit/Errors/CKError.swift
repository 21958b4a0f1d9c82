/// The domain of every error of the framework.
public let CKErrorDomain: String = "CKErrorDomain"

/// An error of CloudKit.
///
/// The library always throws this struct. On Linux, an `NSError` with the domain ``CKErrorDomain`` cannot be cast to it.
public struct CKError: _BridgedStoredNSError {
    /// The domain, the code and the user info.
    public let _nsError: NSError

    /// Creates an error from an `NSError` of the domain ``CKErrorDomain``.
    public init(_nsError error: NSError) {
        precondition(error.domain == CKErrorDomain, "A CKError has the domain \(CKErrorDomain), not \(error.domain).")
        _nsError = error
    }

    /// The domain of every ``CKError``.
    public static var errorDomain: String { CKErrorDomain }
    /// The domain of every ``CKError``.
    public static var _nsErrorDomain: String { CKErrorDomain }

    /// The error's code. A number that CloudKit does not define is read as ``Code/internalError``.
    public var code: Code { Code(rawValue: _nsError.code) ?? .internalError }

    /// The details as they were given.
    public var userInfo: [String: Any] { _nsError.userInfo }

    /// The details, with a description for people if none was given.
    public var errorUserInfo: [String: Any] {
        var details = _nsError.userInfo
        if details[NSLocalizedDescriptionKey] == nil { details[NSLocalizedDescriptionKey] = code.advice }
        return details
    }

    /// Compares the codes and the details.
    public static func == (left: CKError, right: CKError) -> Bool { left._nsError.isEqual(right._nsError) }

    // Foundation's hash of an `NSError` recurses without end on Linux.

    /// Hashes the code.
    public func hash(into hasher: inout Hasher) { hasher.combine(_nsError.code) }

    /// The hash of the code.
    public var hashValue: Int {
        var hasher = Hasher()
        hash(into: &hasher)
        return hasher.finalize()
    }
}
