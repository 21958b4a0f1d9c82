/// A user who changes only the own row of a share: by accepting the share, by leaving it or by requesting access.
package struct ShareVisitor: Sendable, Hashable {
    /// The key of the share's record.
    package let key: RecordKey
    /// The user.
    package let user: String
    /// The user's verified email address; nil if there is none.
    package let email: String?
    /// The number of the participant whose one-time link the user has; nil if there is none.
    package let oneTime: Int32?

    /// Creates a visitor.
    package init(key: RecordKey, user: String, email: String?, oneTime: Int32?) {
        self.key = key
        self.user = user
        self.email = email
        self.oneTime = oneTime
    }
}
