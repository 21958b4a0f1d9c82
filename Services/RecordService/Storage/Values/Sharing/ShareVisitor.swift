/// A user who opens a share, or who changes only the own row of it: by accepting the share, by leaving it or by
/// requesting access.
package struct ShareVisitor: Sendable, Hashable {
    /// What the user wants, as far as it determines what must be read. The raw values are used in SQL.
    package enum Intent: Int16, Sendable {
        /// To see or to leave the share.
        case other = 0
        /// To accept the share. The users who have joined through the link are counted.
        case accept = 1
        /// To request access. The pending requests are counted.
        case requestAccess = 2
    }

    /// The key of the share's record.
    package let key: RecordKey
    /// The user.
    package let user: String
    /// The user's verified email address; nil if there is none.
    package let email: String?
    /// The number of the participant whose one-time link the user has; nil if there is none.
    package let oneTime: Int32?
    /// What the user wants.
    package let intent: Intent

    /// Creates a visitor.
    package init(key: RecordKey, user: String, email: String?, oneTime: Int32?, intent: Intent) {
        self.key = key
        self.intent = intent
        self.user = user
        self.email = email
        self.oneTime = oneTime
    }
}
