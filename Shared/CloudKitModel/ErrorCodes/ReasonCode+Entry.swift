extension ReasonCode {
    /// A row of the error table.
    package struct Entry: Hashable, Sendable {
        /// Whether resending the request can succeed.
        package enum Retry: Hashable, Sendable {
            /// The request will fail again.
            case no
            /// The request can succeed after the request or the stored data has been changed.
            case fix
            /// The unchanged request can succeed after `seconds`, or after the delay that the error itself specifies.
            case later(seconds: Int)
        }

        /// The wire code, which determines the HTTP status.
        package let code: ServerErrorCode
        /// The `CKError` code, more specific than ``code``.
        package let ckErrorCode: CKErrorCode
        /// Whether resending the request can succeed.
        package let retry: Retry
        /// The circumstances in which the error occurs, in one sentence for the table.
        package let meaning: String
        /// The remedy, as one sentence that replies contain.
        package let hint: String
        /// The remedy in HTTP terms; nil unless ``hint`` refers to messages.
        private let webHint: String?

        /// Creates a row. `ckErrorCode` defaults to the usual code for `code`.
        init(
            _ code: ServerErrorCode, ck ckErrorCode: CKErrorCode? = nil, retry: Retry = .fix, _ meaning: String,
            hint: String, web webHint: String? = nil
        ) {
            self.code = code
            self.ckErrorCode = ckErrorCode ?? code.ckErrorCode
            self.retry = retry
            self.meaning = meaning
            self.hint = hint
            self.webHint = webHint
        }

        /// Returns the remedy.
        ///
        /// - Parameter isForWeb: Whether the request was sent over HTTP.
        package func hint(isForWeb: Bool) -> String { isForWeb ? webHint ?? hint : hint }

        /// The number of seconds after which to retry; nil if retrying does not help.
        package var retryAfter: Int? { if case .later(let seconds) = retry { seconds } else { nil } }
    }
}
