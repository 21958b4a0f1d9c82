/// The details of an error.
extension CKError {
    /// The errors of the items by their IDs, in a ``Code/partialFailure``.
    public var partialErrorsByItemID: [AnyHashable: any Error]? {
        userInfo[CKPartialErrorsByItemIDKey] as? [AnyHashable: any Error]
    }

    /// The number of seconds after which the request may be repeated; nil if repeating it does not help.
    public var retryAfterSeconds: Double? { (userInfo[CKErrorRetryAfterKey] as? NSNumber)?.doubleValue }
}

extension CKError {
    /// Creates an error that explains itself.
    ///
    /// - Parameters:
    ///   - reason: the cause and the remedy, as sentences for people.
    ///   - underlying: the error that caused this one.
    ///   - details: more values of the user info.
    init(_ code: Code, _ reason: String, underlying: (any Error)? = nil, details: [String: Any] = [:]) {
        var details = details
        details[NSLocalizedDescriptionKey] = reason
        if let underlying { details[NSUnderlyingErrorKey] = underlying }
        self.init(code, userInfo: details)
    }

    /// Returns the error with more details.
    func adding(_ details: [String: Any]) -> CKError {
        CKError(code, userInfo: userInfo.merging(details) { _, new in new })
    }
}
