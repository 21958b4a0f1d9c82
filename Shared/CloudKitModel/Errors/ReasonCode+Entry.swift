extension ReasonCode {
    /// A row of the table of errors.
    package struct Entry: Hashable, Sendable {
        /// Whether sending the request again helps.
        package enum Retry: Hashable, Sendable {
            /// It will be refused again.
            case no
            /// After something in it, or in what is stored, was changed.
            case fix
            /// As it is, after so many seconds unless the error has learnt of another number.
            case later(seconds: Int)
        }

        /// The wire's code, which decides the HTTP status.
        package let code: ServerErrorCode
        /// CKError's code, finer than ``code``.
        package let ckErrorCode: CKErrorCode
        /// Whether sending the request again helps.
        package let retry: Retry
        /// When it is answered: a clause for the table.
        package let meaning: String
        /// What to do about it: one sentence, which stands in the answer.
        package let hint: String
        /// The same in the words of HTTP, where ``hint`` speaks of messages.
        private let webHint: String?

        /// A row whose native code is the usual one of `code` unless given.
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

        /// What to do about it.
        ///
        /// - Parameter isForWeb: whether the caller asks over HTTP.
        package func hint(isForWeb: Bool) -> String { isForWeb ? webHint ?? hint : hint }

        /// Seconds after which to try again; nil if that helps nothing.
        package var retryAfter: Int? { if case .later(let seconds) = retry { seconds } else { nil } }
    }
}
